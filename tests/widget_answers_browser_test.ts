/** What visitors find around an answer: asking again, changes, copies, sources and what to ask next. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { onRealSite } from "./support/real_site.ts";
import { answered, ask, atRest, focused, onSite, type Site } from "./support/widget_site.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const announced = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).waitFor({ state: "attached" });
const contents = ({ chat }: Site) =>
  chat.seen.at(-1)!.body!.messages!.map(({ content }) => content);

/** Whole answers, ended. */
async function answer({ page, chat }: Site, text: string): Promise<void> {
  chat.say(text);
  chat.done();
  await page.locator(".turn").getByText(text).first().waitFor();
  await page.locator(".after").last().waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

Deno.test("widget: the last question is asked again for another answer, which replaces the first", async () => {
  await onSite({}, async (site) => {
    const { page, chat, console } = site;
    await ask(page, "What does it cost?");
    chat.say("It costs 5 dollars.");
    assertEquals(await button(page, "Ask again").count(), 0, "not while the answer arrives");
    await answer(site, " Or 6.");
    await answered(page, async () => {
      await button(page, "Ask again").focus();
      await page.keyboard.press("Enter");
    });
    await announced(page, "A new answer follows.");
    assertEquals(await focused(page), "log");
    const { body } = chat.seen.at(-1)!;
    assertEquals(contents(site), ["What does it cost?"]);
    assertEquals(body!.replaces, "0b6c7a1e-57c3-4a52-9c1c-000000000001");
    assertEquals(await page.getByText("It costs 5 dollars.").count(), 0);
    await answer(site, "It costs 7 dollars.");
    assertEquals(await button(page, "Ask again").count(), 1);
    await page.reload();
    await page.getByText("It costs 7 dollars.").first().waitFor();
    assertEquals(await page.locator(".turn").count(), 2);
    assertEquals(console, []);
  });
});

Deno.test("widget: a service that does not know the replaced run answers all the same", async () => {
  await onSite({}, async (site) => {
    const { page, chat } = site;
    await ask(page, "What does it cost?");
    await answer(site, "It costs 5 dollars.");
    chat.rejections.push(Response.json({ code: "schema_validation_failed" }, { status: 400 }));
    await button(page, "Ask again").click();
    await answer(site, "It costs 7 dollars.");
    const sent = chat.seen.slice(-2).map(({ body, key }) => [typeof body!.replaces, key]);
    assertEquals(sent.map(([replaces]) => replaces), ["string", "undefined"]);
    assert(sent[0]![1] !== sent[1]![1]);
    assertEquals(await page.locator(".notice").count(), 0);
    assertEquals(await page.locator(".turn").count(), 2);
    // It is repeated once, and any other rejection is shown.
    const rejection = () => Response.json({ code: "schema_validation_failed" }, { status: 400 });
    chat.rejections.push(rejection(), rejection());
    await button(page, "Ask again").click();
    await page.locator(".notice").getByText("Something went wrong.").waitFor();
  });
});

Deno.test("widget: a message is changed in its place, by keyboard, and what followed it leaves", async () => {
  await onSite({}, async (site) => {
    const { page, chat } = site;
    await ask(page, "What does it cost?");
    await answer(site, "It costs 5 dollars.");
    await page.getByRole("textbox").fill("And in Norway?");
    await answered(page, () => page.keyboard.press("Enter"));
    chat.say("The same.");
    assertEquals(await button(page, "Edit message").count(), 0, "not while the answer arrives");
    await answer(site, " Really.");
    const edit = button(page, "Edit message").first();
    await edit.focus();
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "Edit message" });
    assertEquals(await field.inputValue(), "What does it cost?");
    assertEquals(await page.locator(".bubble").first().isVisible(), false);
    await page.keyboard.type(" No.");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    assertEquals(await focused(page), "thumb", "the focus returns to the button");
    assert(await page.locator(".bubble").first().isVisible(), "and the panel stays open");
    await page.keyboard.press("Enter");
    await field.fill("  ");
    await page.keyboard.press("Enter");
    assertEquals(await field.count(), 1, "nothing is sent without a text");
    await field.fill("What does shipping cost?");
    assertEquals(await violations(page), []);
    await answered(page, () => page.keyboard.press("Enter"));
    await announced(page, "A new answer follows.");
    assertEquals(await focused(page), "log");
    assertEquals(contents(site), ["What does shipping cost?"]);
    assertEquals(
      chat.seen.at(-1)!.body!.replaces,
      "0b6c7a1e-57c3-4a52-9c1c-000000000001",
    );
    await answer(site, "It costs 1 dollar.");
    assertEquals(await page.locator(".turn").count(), 2);
    await button(page, "Edit message").click();
    await button(page, "Cancel").click();
    await button(page, "Edit message").click();
    await field.fill("Once more");
    await answered(page, () => button(page, "Save").click());
    assertEquals(contents(site), ["Once more"]);
  });
});

Deno.test("widget: answers are copied as Markdown, and the menu copies the whole conversation", async () => {
  await onSite({
    attributes: `data-title="Shop"`,
    context: { permissions: ["clipboard-read", "clipboard-write"] },
  }, async (site) => {
    const { page } = site;
    const copied = () => page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.getByRole("textbox").fill("What *is* it?");
    await answered(page, () => page.keyboard.press("Enter"));
    site.chat.say("It is **red**.");
    site.chat.done();
    await button(page, "Copy").click();
    await announced(page, "Copy ✓");
    assertEquals(await copied(), "It is **red**.");
    await button(page, "More").click();
    await button(page, "Copy conversation").click();
    await page.locator(".footnote").getByText("✓").waitFor();
    assertEquals(await copied(), "**You:**\n\nWhat *is* it?\n\n**Shop:**\n\nIt is **red**.\n");
    assertEquals(await focused(page), "tool more");
    await page.locator(".footnote").getByText("✓").waitFor({ state: "detached" });
  });
});

Deno.test("widget: sources are numbered, and show what their document says and where it is", async () => {
  await withBrowser(async (browser) => {
    for (const attributes of [`data-theme="dark"`, `data-lang="ar"`]) {
      await onSite({ browser, attributes, width: 320, height: 600 }, async (site) => {
        const { page, chat, console } = site;
        await page.locator(".launcher").click();
        await page.locator(".input").fill("2+2?");
        await answered(page, () => page.keyboard.press("Enter"));
        const passages = [
          { title: "Delivery", text: "Parcels arrive in two days." },
          {
            title: "https://shop.example/a/very/long/address/of/a/page",
            text: "We ship to Norway.",
          },
          { title: "Delivery", text: "On Mondays in three." },
          { title: "<img src=x onerror=alert(1)>", text: "Gift cards never expire." },
          { title: "javascript:alert(1)", text: "Shops open at nine." },
          { title: "Warranty", text: "Lamps are repaired for free." },
        ];
        chat.write({ type: "tool_result", name: "search_knowledge", output: { passages } });
        const used = [0, 1, 3, 4].map((n) => passages[n]!.text);
        await answer(site, used.join(" "));
        const sources = page.locator(".sources > *");
        assertEquals(await sources.count(), 4);
        assertEquals(await sources.nth(0).locator("summary").innerText(), "1. Delivery");
        await sources.nth(0).locator("summary").focus();
        await page.keyboard.press("Enter");
        assertEquals(
          await sources.nth(0).locator("p").innerText(),
          "Parcels arrive in two days.\n\nOn Mondays in three.",
        );
        await sources.nth(1).locator("summary").click();
        assertEquals(await sources.locator("a").count(), 1);
        assertEquals(
          await sources.nth(1).getByRole("link").getAttribute("href"),
          passages[1]!.title,
        );
        await page.reload();
        await sources.nth(0).locator("summary").click();
        await sources.nth(0).getByText("Parcels arrive").waitFor();
        const overflow = await page.locator(".log").evaluate((log) =>
          log.scrollWidth - log.clientWidth
        );
        assertEquals(overflow, 0);
        assertEquals(await violations(page), [], attributes);
        assertEquals(console, []);
      });
    }
  });
});

Deno.test("widget: a tool is shown and announced in its owner's words, and follow-ups show nothing while they run", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Where is my order?");
    const progress = "Looking up your order…";
    chat.write({ type: "tool_call", name: "track_order", args: {}, progress });
    await page.locator(".working").getByText(progress).waitFor();
    await announced(page, progress);
    chat.write({ type: "tool_result", name: "track_order", output: {} });
    chat.write({ type: "tool_call", name: "track_order", args: {} });
    await page.locator(".working").getByText("track order").waitFor();
    chat.write({ type: "tool_result", name: "track_order", output: {} });
    chat.say("On its way.");
    chat.write({ type: "tool_call", name: "suggest_follow_ups", args: { questions: ["When?"] } });
    await page.getByText("On its way.").first().waitFor();
    await page.locator(".working").waitFor({ state: "detached" });
    assertEquals(await button(page, "When?").count(), 0, "not before the answer is finished");
    chat.done();
    await button(page, "When?").waitFor();
  });
});

Deno.test("widget: follow-up questions stand below the last answer, are sent with one press, and survive a reload", async () => {
  await onSite({}, async (site) => {
    const { page, chat } = site;
    await ask(page, "Where is my order?");
    const questions = [7, null, " When? ", "When?", "x".repeat(201), "", "Why?", "Who?", "What?"];
    chat.write({ type: "tool_call", name: "suggest_follow_ups", args: { questions } });
    chat.write({ type: "tool_result", name: "suggest_follow_ups", output: { ok: true } });
    await answer(site, "On its way.");
    const group = page.getByRole("group", { name: "Suggested questions" });
    await group.waitFor();
    assertEquals(await group.getByRole("button").allInnerTexts(), ["When?", "Why?", "Who?"]);
    assertEquals(await violations(page), []);
    await page.reload();
    await group.waitFor();
    await answered(page, () => button(page, "Why?").press("Enter"));
    assertEquals(contents(site), ["Where is my order?", "On its way.", "Why?"]);
    await group.waitFor({ state: "detached" });
    assertEquals(await focused(page), "input");
    chat.write({ type: "tool_call", name: "suggest_follow_ups", args: "all" });
    await answer(site, "Because.");
    assertEquals(await group.count(), 0);
  });
});

Deno.test("widget: the logo stands in the head, named like the chat, which stays an AI assistant", async () => {
  const svg =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 90 30'><path d='M0 0h90v30H0'/></svg>`;
  const logo = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await onSite({ appearance: { title: "Shop", logo } }, async ({ page, console }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.locator(".header").waitFor();
    await page.getByRole("dialog").getByRole("heading", { name: "Shop" }).waitFor();
    assertEquals(await page.locator(".header .mark").count(), 0);
    assertEquals(await page.locator(".header bdi").count(), 0);
    const { height } = (await page.locator(".logo").boundingBox())!;
    assert(height > 20 && height <= 36);
    await page.locator(".subtitle").getByText("AI assistant").waitFor();
    assertEquals(await violations(page), []);
    assertEquals(console, []);
  });
});

Deno.test("widget: the service replaces the run that is asked again, and answers if it does not know it", async () => {
  await onRealSite({ endpoint: true }, async ({ page, held }) => {
    const bodies: { replaces?: string }[] = [];
    const statuses: number[] = [];
    page.on("response", (response) => {
      const request = response.request();
      if (request.method() !== "POST" || !/\/chat\/stream$/.test(request.url())) return;
      bodies.push(request.postDataJSON());
      statuses.push(response.status());
    });
    const again = async () => {
      const started = page.waitForResponse((response) =>
        response.headers()["x-run-id"] !== undefined
      );
      await button(page, "Ask again").click();
      return (await (await started).allHeaders())["x-run-id"];
    };
    const started = page.waitForResponse(/\/v1\/chat\/stream$/);
    await ask(page, "Where is my order?");
    const first = (await (await started).allHeaders())["x-run-id"];
    held.release();
    await again();
    assertEquals(bodies[1]?.replaces, first);
    // As if the service had deleted that run.
    await button(page, "Ask again").waitFor();
    await page.route(/\/v1\/chat\/stream$/, (route) => {
      const body = route.request().postDataJSON();
      const replaces = body.replaces && crypto.randomUUID();
      return route.continue({ postData: JSON.stringify({ ...body, replaces }) });
    });
    await again();
    assertEquals(statuses, [200, 200, 400, 200]);
    assertEquals(bodies[3]?.replaces, undefined);
    await button(page, "Ask again").waitFor();
    assertEquals(await page.locator(".turn").count(), 2);
    assertEquals(await page.locator(".notice").count(), 0);
  });
});
