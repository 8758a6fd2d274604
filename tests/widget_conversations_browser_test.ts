/** The visitor's earlier conversations in the widget, in Chromium. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import type { RecordedRequest } from "./support/fake_chat.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";
import { ask, atRest, focused, onSite, type Site } from "./support/widget_site.ts";

const EARLIER = "Earlier conversations";
const more = (page: Page) => page.getByRole("button", { name: "More", exact: true });
const entry = (page: Page) => page.getByRole("button", { name: EARLIER });
const sheet = (page: Page) => page.getByRole("group", { name: EARLIER });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, title: string) => sheet(page).locator(".item", { hasText: title });
const settled = (page: Page) => button(page, "Send message").waitFor();
const bubbles = (page: Page) => page.getByRole("log").locator(".bubble");

async function openList(page: Page): Promise<void> {
  await more(page).click();
  await entry(page).click();
  await sheet(page).waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

/** Another tab of the same page: its storage is its own. */
async function newTab({ page, origin }: RealSite): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(origin);
  await button(tab, "Open chat").click();
  return tab;
}

const VISITOR = { visitor: { id: "ada" } };

Deno.test("widget: a conversation goes on in a new tab, with its answers, thumbs and the next question", async () => {
  await onRealSite(VISITOR, async (site) => {
    site.held.release();
    await ask(site.page, "Where is my parcel?");
    await settled(site.page);
    const answer = await bubbles(site.page).last().innerText();
    const tab = await newTab(site);
    await openList(tab);
    await row(tab, "Where is my parcel?").click();
    await button(tab, "Good answer").waitFor();
    assertEquals(await bubbles(tab).allInnerTexts(), ["Where is my parcel?", answer]);
    assertEquals(await focused(tab), "log");
    await button(tab, "Good answer").click();
    await tab.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
    const sent = tab.waitForRequest(/\/v1\/chat\/stream$/);
    await tab.getByRole("textbox").fill("And when?");
    await tab.keyboard.press("Enter");
    const { conversationId, messages } = (await sent).postDataJSON();
    assertEquals(messages.length, 3);
    await settled(tab);
    // One conversation, not two.
    await openList(tab);
    assertEquals(await sheet(tab).getByRole("listitem").count(), 1);
    assertEquals(await row(tab, "Where is my parcel?").getAttribute("aria-current"), "true");
    await tab.reload();
    await bubbles(tab).nth(3).waitFor();
    const stored = await site.service.fetch(`/v1/chat/conversations/${conversationId}`, {
      headers: { "x-service-session": site.minted.at(-1)!, origin: site.origin },
    });
    assertEquals((await stored.json()).messageCount, 4);
  });
});

Deno.test("widget: an answer that is being written is followed in another tab, also after a reload", async () => {
  await onRealSite(VISITOR, async (site) => {
    site.held.release();
    await ask(site.page, "One?");
    await settled(site.page);
    site.held.hold();
    await site.page.getByRole("textbox").fill("Two?");
    await site.page.keyboard.press("Enter");
    await bubbles(site.page).nth(3).waitFor();
    const tab = await newTab(site);
    await openList(tab);
    await row(tab, "One?").click();
    await bubbles(tab).nth(3).waitFor();
    await button(tab, "Stop answering").waitFor();
    await tab.reload();
    await bubbles(tab).nth(3).waitFor();
    site.held.release();
    await settled(tab);
    await settled(site.page);
    assertEquals(await bubbles(tab).allInnerTexts(), await bubbles(site.page).allInnerTexts());
  });
});

Deno.test("widget: another conversation is shown while an answer arrives, which goes on and is found again", async () => {
  await onRealSite(VISITOR, async (site) => {
    const { page } = site;
    site.held.release();
    await ask(page, "First?");
    await settled(page);
    await button(page, "New conversation").click();
    await page.getByRole("textbox").fill("Second?");
    await page.keyboard.press("Enter");
    await button(page, "Good answer").waitFor();
    site.held.hold();
    await page.getByRole("textbox").fill("Third?");
    await page.keyboard.press("Enter");
    await bubbles(page).nth(3).waitFor();
    await openList(page);
    await row(page, "First?").click();
    await settled(page);
    assertEquals(await bubbles(page).first().innerText(), "First?");
    assertEquals(await bubbles(page).count(), 2);
    await openList(page);
    await row(page, "Second?").click();
    await bubbles(page).nth(3).waitFor();
    site.held.release();
    await settled(page);
    assertEquals(await page.getByText("This answer is incomplete").count(), 0);
    assertEquals(await bubbles(page).count(), 4);
  });
});

Deno.test("widget: a session without a visitor, and data-history=off, offer no earlier conversations", async () => {
  await withBrowser(async (browser) => {
    for (const options of [{}, { ...VISITOR, attributes: `data-history="off"` }]) {
      await onRealSite({ browser, ...options }, async ({ page, held }) => {
        held.release();
        await ask(page, "One?");
        await settled(page);
        const listed = "visitor" in options
          ? Promise.resolve()
          : page.waitForResponse(/\/v1\/chat\/conversations\?/);
        await more(page).click();
        await button(page, "Close").waitFor();
        await listed;
        assertEquals(await entry(page).count(), 0);
      });
    }
  });
});

Deno.test("widget: conversations are renamed and deleted, each after a second press", async () => {
  await onRealSite(VISITOR, async ({ page, held }) => {
    held.release();
    await ask(page, "First?");
    await settled(page);
    await openList(page);
    await button(page, "Edit: First?").click();
    await sheet(page).getByRole("textbox", { name: "Rename" }).fill("  My   parcel ");
    await page.keyboard.press("Enter");
    await row(page, "My parcel").waitFor();
    await button(page, "Edit: My parcel").waitFor();
    await sheet(page).getByRole("textbox").waitFor({ state: "detached" });
    assertEquals(await focused(page), "tool");
    await button(page, "Edit: My parcel").click();
    await button(page, "Delete").click();
    await page.getByRole("status").getByText("Really delete?").waitFor({ state: "attached" });
    assertEquals(await sheet(page).getByRole("listitem").count(), 1);
    await button(page, "Really delete?").click();
    await row(page, "My parcel").waitFor({ state: "detached" });
    // It was the one that is shown.
    await page.getByText("How can we help?").waitFor();
    assertEquals(await focused(page), "tool");
    await page.keyboard.press("Escape");
    await more(page).click();
    await button(page, "Close").waitFor();
    assertEquals(await entry(page).count(), 0);
  });
});

/** A service with this many conversations, which answers with this status from then on. */
function serve({ chat }: Site, count: number): { status: number } {
  const failing = { status: 0 };
  const of = (n: number) => ({
    id: `5f1c2d3e-aaaa-4bbb-8ccc-${`${n}`.padStart(12, "0")}`,
    title: `Question ${n}, which is as long as questions of visitors can be, more or less`,
    createdAt: "2026-01-15T09:31:00.000Z",
    updatedAt: new Date(Date.now() - n * 7_200_000).toISOString(),
    messageCount: 2,
  });
  chat.other = ({ path, method, body }: RecordedRequest) => {
    const [, id, cursor] = /\/conversations(?:\/([\w-]+))?(?:\?.*?cursor=(.*))?/.exec(path) ?? [];
    if (!path.includes("/conversations")) return undefined;
    if (failing.status) {
      return Response.json({ code: "x", message: "" }, { status: failing.status });
    }
    if (method === "DELETE") return new Response(null, { status: 204 });
    if (method === "PATCH") return Response.json({ ...of(1), id, title: body?.title });
    if (id) {
      const n = Number(cursor ?? 0);
      const runId = `0b6c7a1e-57c3-4a52-9c1c-${`${100 + n}`.padStart(12, "0")}`;
      return Response.json({
        ...of(1),
        id,
        messages: [
          { role: "user", content: `Q${n}`, runId },
          {
            role: "assistant",
            content: `Old A${n}`,
            runId,
            finishReason: "stop",
            superseded: true,
          },
          {
            ...{ role: "assistant", runId, finishReason: n ? "length" : "stop" },
            content: `A${n} of the staff handbook`,
            sources: [{ title: "Staff handbook", url: "https://shop.example/handbook" }],
          },
          { role: "assistant", content: `Claimed ${n}`, runId, claimed: true },
        ],
        ...n === 0 && { nextCursor: "1" },
      });
    }
    const from = Number(cursor ?? 0);
    const data = Array.from({ length: Math.min(50, count - from) }, (_, n) => of(from + n + 1));
    return Response.json({ data, ...from + 50 < count && { nextCursor: `${from + 50}` } });
  };
  return failing;
}

Deno.test("widget: all pages of a conversation are shown, without what was replaced", async () => {
  await onSite({}, async (site) => {
    const { page } = site;
    serve(site, 1);
    await button(page, "Open chat").click();
    await openList(page);
    await row(page, "Question 1").click();
    await bubbles(page).nth(5).waitFor();
    const answers = ["A0 of the staff handbook", "A1 of the staff handbook"];
    const shown = ["Q0", answers[0], "Claimed 0", "Q1", answers[1], "Claimed 1"];
    assertEquals(await bubbles(page).allInnerTexts(), shown);
    // What the client claimed and what is cut short cannot be rated.
    assertEquals(await button(page, "Good answer").count(), 1);
    assertEquals(await page.getByText("This answer is incomplete").count(), 1);
    const links = page.getByRole("link", { name: "1. Staff handbook" });
    assertEquals(
      await links.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href)),
      Array(2).fill("https://shop.example/handbook"),
    );
  });
});

Deno.test("widget: the list works by keyboard alone and has names, and the focus is never lost to the page", async () => {
  await onSite({}, async (site) => {
    const { page } = site;
    serve(site, 60);
    await button(page, "Open chat").click();
    await more(page).focus();
    await page.keyboard.press("Enter");
    await entry(page).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await sheet(page).waitFor();
    assertEquals(await focused(page), "item");
    await page.keyboard.press("Tab");
    assertEquals(await focused(page), "tool");
    await page.keyboard.press("Space");
    assertEquals(await page.locator("[aria-expanded=true].tool").count(), 1);
    await page.keyboard.press("Tab");
    assertEquals(
      await page.evaluate("document.activeElement.shadowRoot.activeElement.ariaLabel"),
      "Rename",
    );
    await sheet(page).getByRole("button", { name: "More", exact: true }).focus();
    await page.keyboard.press("Enter");
    await row(page, "Question 60,").waitFor();
    assertEquals(await focused(page), "item");
    assertEquals(await sheet(page).getByRole("listitem").count(), 60);
    await page.keyboard.press("Escape");
    assertEquals(await focused(page), "tool more");
  });
});

Deno.test("widget: what fails in the list is said calmly, and the list stays", async () => {
  await onSite({}, async (site) => {
    const { page } = site;
    const failing = serve(site, 2);
    await button(page, "Open chat").click();
    await openList(page);
    for (
      const [status, text] of [
        [401, "Please reload the page."],
        [404, "Something went wrong."],
        [429, "Something went wrong."],
        [503, "Something went wrong."],
      ] as const
    ) {
      failing.status = status;
      await row(page, "Question 1").click();
      await sheet(page).getByRole("alert").getByText(text).waitFor();
      assertEquals(await sheet(page).getByRole("listitem").count(), 2);
    }
    await page.context().setOffline(true);
    await row(page, "Question 2").click();
    await sheet(page).getByText("The connection was lost.").waitFor();
    await page.context().setOffline(false);
    failing.status = 0;
    await row(page, "Question 2").click();
    await bubbles(page).first().waitFor();
  });
});

Deno.test("widget: the list has no axe violation, in any theme, on a phone and from right to left", async () => {
  await withBrowser(async (browser) => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [width, lang] of [[1280, "en"], [320, "ar"]] as const) {
        const attributes = `data-lang="${lang}" data-voice="off"`;
        await onSite({ browser, colorScheme, width, attributes }, async (site) => {
          const { page, console, asked } = site;
          serve(site, 3);
          await page.getByRole("button").first().click();
          await page.locator(".more").click();
          await page.locator(".sheet .item").click();
          await page.locator(".thread .tool").first().click();
          await page.locator(".thread form").waitFor();
          assertEquals(await violations(page), [], `${colorScheme} ${width}`);
          const { clientWidth, scrollWidth } = await page.locator(".sheet").evaluate((element) => ({
            clientWidth: element.clientWidth,
            scrollWidth: element.scrollWidth,
          }));
          assert(scrollWidth <= clientWidth, "no sideways scrolling");
          const small = await page.locator(".sheet button").evaluateAll((all) =>
            all.filter((one) => one.getBoundingClientRect().height < 44).length
          );
          assertEquals(small, 0, "targets");
          assertEquals([console, asked], [[], []]);
        });
      }
    }
  });
});
