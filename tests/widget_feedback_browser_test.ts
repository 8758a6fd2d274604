/** The widget's extras, and in them the thumbs and the comment below its answers, in Chromium. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { onRealSite } from "./support/real_site.ts";
import {
  answered,
  ask,
  atRest,
  focused,
  onSite,
  type Site,
  type SiteOptions,
} from "./support/widget_site.ts";

const EXTRAS = "**/widget-extras.v1.*.js*";
const isExtras = (url: string) => /\/widget-extras\.v1\.[0-9a-f]{12}\.js(\?\d+)?$/.test(url);
const good = (page: Page) => page.getByRole("button", { name: "Good answer" });
const bad = (page: Page) => page.getByRole("button", { name: "Bad answer" });
const announced = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).waitFor({ state: "attached" });
const WHAT_WAS_WRONG = "What was wrong? (optional)";

async function askAndAnswer({ page, chat }: Site): Promise<void> {
  await ask(page, "What does it cost?");
  chat.say("It costs 5 dollars.");
  await page.getByText("It costs 5 dollars.").first().waitFor();
}

/** A further question in the open panel. */
async function askAgain({ page, chat }: Site, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Write a message" }).fill(text);
  await answered(page, () => page.keyboard.press("Enter"));
  chat.say("Yes.");
  chat.done();
  await page.getByText("Yes.").first().waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

/** A site whose page records its requests of the extras from the start. */
async function onRecordedSite(
  options: SiteOptions,
  use: (site: Site & { urls: string[] }) => Promise<void>,
): Promise<void> {
  const urls: string[] = [];
  const beforeLoad = async (page: Page) => {
    page.on("request", (request) => isExtras(request.url()) && urls.push(request.url()));
    await options.beforeLoad?.(page);
  };
  await onSite({ ...options, beforeLoad }, (site) => use({ ...site, urls }));
}

Deno.test("widget: a finished answer has thumbs with pressed state, by keyboard, also after a reload", async () => {
  await onRecordedSite({}, async (site) => {
    const { page, chat, urls, console } = site;
    await askAndAnswer(site);
    assertEquals([await good(page).count(), urls], [0, []], "not while it arrives");
    chat.done();
    await good(page).waitFor();
    assertEquals(await good(page).getAttribute("aria-pressed"), "false");
    assertEquals(urls.length, 1);
    await good(page).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
    await announced(page, "Thank you");
    const sent = chat.seen.at(-1)!;
    assertEquals([sent.method, sent.body], ["PUT", { rating: "up" }]);
    assertEquals(sent.path, "/v1/chat/runs/0b6c7a1e-57c3-4a52-9c1c-000000000001/feedback");
    await page.reload();
    await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
    await bad(page).click();
    await page.getByRole("button", { name: "Bad answer", pressed: true }).waitFor();
    await announced(page, "Thank you");
    assertEquals(chat.seen.at(-1)?.body, { rating: "down" });
    const withdrawn = page.waitForResponse(/\/feedback$/);
    await bad(page).click();
    await page.getByRole("button", { name: "Bad answer", pressed: false }).waitFor();
    await withdrawn;
    assertEquals(chat.seen.at(-1)?.method, "DELETE");
    await page.locator(".feedback span").waitFor({ state: "hidden" });
    assertEquals(console, []);
  });
});

Deno.test("widget: a thumb down offers a comment, which keeps its text until it is stored", async () => {
  await onSite({}, async (site) => {
    const { page, chat } = site;
    await askAndAnswer(site);
    chat.done();
    await bad(page).click();
    const comment = page.getByRole("textbox", { name: WHAT_WAS_WRONG });
    await comment.fill("It costs 6.");
    await announced(page, WHAT_WAS_WRONG);
    chat.rejections.push(new Response(null, { status: 503 }));
    await page.getByRole("button", { name: "Send feedback" }).click();
    await announced(page, "went wrong");
    await page.locator(".feedback span").getByText("Something went wrong.").waitFor();
    assertEquals(await comment.inputValue(), "It costs 6.");
    await page.getByRole("button", { name: "Send feedback" }).click();
    await comment.waitFor({ state: "detached" });
    assertEquals(chat.seen.at(-1)?.body, { rating: "down", comment: "It costs 6." });
    assertEquals(await focused(page), "thumb down");
  });
});

Deno.test("widget: an answer that the service does not know loses its thumbs, and the focus stays in the panel", async () => {
  await onSite({}, async (site) => {
    const { page, chat } = site;
    await askAndAnswer(site);
    chat.done();
    await good(page).waitFor();
    chat.rejections.push(Response.json({ code: "not_found" }, { status: 404 }));
    await good(page).click();
    await announced(page, "went wrong");
    await good(page).waitFor({ state: "detached" });
    assertEquals(await focused(page), "log");
    await page.reload();
    await page.locator(".after").waitFor();
    assertEquals(await good(page).count(), 0);
  });
});

Deno.test("widget: thumbs are large enough, mirrored from right to left, and clear to axe in every theme", async () => {
  await withBrowser(async (browser) => {
    for (const attributes of [`data-theme="dark"`, `data-lang="ar"`]) {
      await onSite({ browser, attributes }, async (site) => {
        const { page, chat } = site;
        await page.locator(".launcher").click();
        await page.locator(".input").fill("2+2?");
        await answered(page, () => page.keyboard.press("Enter"));
        chat.say("4");
        chat.done();
        const boxes = [];
        for (const thumb of [".thumb.up", ".thumb.down"]) {
          boxes.push((await page.locator(thumb).boundingBox())!);
        }
        for (const { width, height } of boxes) assert(width >= 24 && height >= 24);
        assertEquals(boxes[0]!.x > boxes[1]!.x, attributes.includes("lang"));
        await page.locator(".thumb.down").click();
        await page.locator(".feedback form").waitFor();
        await page.locator(".feedback span").waitFor();
        assertEquals(await violations(page), [], attributes);
      });
    }
    const context = { forcedColors: "active" as const };
    await onSite({ browser, context }, async (site) => {
      await askAndAnswer(site);
      site.chat.done();
      await good(site.page).click();
      const pressed = site.page.locator(".thumb[aria-pressed=true]");
      assertEquals(await pressed.evaluate((el) => getComputedStyle(el).borderStyle), "solid");
    });
  });
});

Deno.test("widget: without its extras the chat goes on quietly, and the next answer tries again", async () => {
  await onRecordedSite({}, async (site) => {
    const { page, chat, urls } = site;
    const events = "serviceWidget.on('error', () => document.title += '!')";
    await page.evaluate(events);
    await page.route(EXTRAS, (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await askAndAnswer(site);
    chat.done();
    await failed;
    await page.getByText("It costs 5 dollars.").first().waitFor();
    assertEquals([await good(page).count(), await page.locator(".notice").count()], [0, 0]);
    await page.unroute(EXTRAS);
    await askAgain(site, "Really?");
    await good(page).nth(1).waitFor();
    assertEquals(urls.map((url) => new URL(url).search), ["", "?1"]);
    assertEquals(await page.title(), "Shop");
  });
});

Deno.test("widget: extras with other content are not run", async () => {
  await onRecordedSite({}, async (site) => {
    const { page, chat, urls } = site;
    await page.route(EXTRAS, async (route) => {
      const response = await route.fetch();
      const body = `document.title = "run";${await response.text()}`;
      await route.fulfill({ response, body });
    });
    const refused = page.waitForEvent("console", (line) => line.text().includes("integrity"));
    await askAndAnswer(site);
    chat.done();
    await refused;
    await askAgain(site, "Really?");
    assertEquals(urls.length > 0, true);
    assertEquals([await good(page).count(), await page.title()], [0, "Shop"]);
  });
});

Deno.test("widget: data-feedback and the agent's appearance switch the thumbs off", async () => {
  await withBrowser(async (browser) => {
    const off = [{ attributes: `data-feedback="off"` }, { appearance: { feedback: "off" } }];
    for (const options of off) {
      await onRecordedSite({ browser, ...options }, async (site) => {
        const { page, chat } = site;
        await askAndAnswer(site);
        chat.done();
        await page.getByRole("button", { name: "Copy" }).waitFor();
        assertEquals(await page.locator(".feedback").count(), 0);
        await page.evaluate("serviceWidget.setAppearance({ feedback: 'on' })");
        if (options.appearance) await good(page).waitFor();
      });
    }
  });
});

Deno.test("widget: a page that sends without opening the widget loads no extras until it is opened", async () => {
  await onRecordedSite({}, async ({ page, chat, urls }) => {
    await answered(page, () => page.evaluate("void serviceWidget.send('Hello?')"));
    chat.say("Hi.");
    chat.done();
    await page.getByText("Hi.").first().waitFor({ state: "attached" });
    await page.locator(".unread").waitFor();
    assertEquals(urls, []);
    await page.getByRole("button", { name: "Open chat" }).click();
    await good(page).waitFor();
    assertEquals(urls.length, 1);
  });
});

Deno.test("widget: the service stores a rating, its change, its comment and its withdrawal, also after a reload", async () => {
  await onRealSite({ endpoint: true }, async ({ page, service, held, key, minted, console }) => {
    const streamed = page.waitForResponse(/\/v1\/chat\/stream$/);
    await ask(page, "Where is my order?");
    const runId = (await (await streamed).allHeaders())["x-run-id"]!;
    held.release();
    const stored = async () => {
      const { ratedAt: _, ...feedback } = await (await service.fetch(
        `/v1/chat/runs/${runId}/feedback`,
        { key },
      )).json();
      return feedback;
    };
    const saved = async (act: () => Promise<void>) => {
      const answer = page.waitForResponse(/\/feedback$/);
      await act();
      assertEquals((await answer).status(), 204);
    };
    await saved(() => good(page).click());
    assertEquals(await stored(), { rating: "up" });
    await page.reload();
    await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
    await saved(() => bad(page).click());
    assertEquals(await stored(), { rating: "down" });
    assertEquals(minted.length, 2);
    await page.getByRole("textbox", { name: WHAT_WAS_WRONG }).fill("No order number.");
    await saved(() => page.getByRole("button", { name: "Send feedback" }).click());
    assertEquals(await stored(), { rating: "down", comment: "No order number." });
    await saved(() => bad(page).click());
    assertEquals((await stored()).code, "not_found");
    assertEquals(console, []);
  });
});
