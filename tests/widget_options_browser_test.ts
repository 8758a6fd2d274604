/** What a site can switch on in the widget: what is left, a wide panel, a tone. And pages from right to left. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { ask, atRest, onSite, type Site, type SiteOptions } from "./support/widget_site.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const MINUTE = 60_000;

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

/** Asks and gets an answer. */
async function converse({ page, chat }: Site, text = "Hello?"): Promise<void> {
  await ask(page, text);
  chat.say("Yes.");
  chat.done();
  await button(page, "Good answer").waitFor();
}

async function askAgain({ page, chat }: Site, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".mine", { hasText: text }).waitFor();
  chat.say(`Answer to ${text}`);
  chat.done();
  await button(page, "Send message").waitFor();
}

const later = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();

Deno.test("widget: data-limits shows what is left after each answer, and at 0 when it is there again", async () => {
  const attributes = `data-limits="on"`;
  await onSite({ attributes }, async (site) => {
    const { page, chat } = site;
    const messages = { limit: 100, left: 82 };
    const costUsd = { limit: 2, left: 1.588 };
    const answers: Record<string, unknown>[] = [
      { messages, per: "month", resetsAt: later(60) },
      { messages, costUsd, per: "day", resetsAt: later(60) },
      { costUsd: { limit: 2, left: 0.001 }, per: "total" },
      { messages: { limit: 100, left: 0 }, per: "month", resetsAt: later(5 * 24 * 60 - 1) },
      { costUsd: { limit: 0, left: 0 }, per: "day", resetsAt: later(90) },
      {},
    ];
    chat.other = ({ path }) =>
      path.endsWith("/limits") ? Response.json(answers.shift() ?? {}) : undefined;
    const shows = (text: string) => page.getByText(text, { exact: true }).waitFor();
    await converse(site);
    await shows("Messages left: 82 · this month");
    assertEquals(await violations(page), []);
    await askAgain(site, "2");
    await shows("Messages left: 82 · Budget used: 20 % · today");
    await askAgain(site, "3");
    await shows("Budget used: 99 %");
    await askAgain(site, "4");
    await shows("Messages left: 0 · Available again: in 5 days");
    await askAgain(site, "5");
    await shows("Budget used: 100 % · Available again: in 2 hours");
    await askAgain(site, "6");
    await page.locator(".footnote").waitFor({ state: "detached" });
    assertEquals(chat.seen.filter(({ path }) => path.endsWith("/limits")).length, 6);
  });
});

Deno.test("widget: without data-limits nothing is asked, and a 429 of a visitor's limit reads well", async () => {
  const beforeLoad = async (page: Page) => {
    await page.addInitScript(() => {
      const page = globalThis as unknown as { longest: number };
      page.longest = 0;
      const { setTimeout } = globalThis;
      globalThis.setTimeout = ((call: () => void, ms = 0) => {
        page.longest = Math.max(page.longest, ms);
        return setTimeout(call, ms);
      }) as typeof globalThis.setTimeout;
    });
  };
  await onSite({ beforeLoad }, async (site) => {
    const { page, chat } = site;
    await converse(site);
    const body = {
      code: "rate_limit_exceeded",
      message: "",
      details: { scope: "visitor_messages", limit: 2 },
    };
    const headers = { "retry-after": `${26 * 24 * 3600}` };
    chat.rejections.push(Response.json(body, { status: 429, headers }));
    await page.getByRole("textbox").fill("More?");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText(
      "The chat is not available right now. Try again in 26 days.",
    ).waitFor();
    // A timer of 26 days would end at once, and draw again and again.
    const longest = await page.evaluate("longest") as number;
    assert(longest > 86_400_000 && longest < 2 ** 31, `${longest}`);
    assertEquals(chat.seen.filter(({ path }) => path.endsWith("/limits")).length, 0);
  });
});

const width = async (page: Page) =>
  Math.round((await page.getByRole("dialog").boundingBox())!.width);

Deno.test("widget: data-wide offers a wider panel, remembered for the tab, never wider than the window", async () => {
  await withBrowser(async (browser) => {
    const attributes = `data-wide="on"`;
    const context = { reducedMotion: "reduce" } as const;
    await onSite({ browser, attributes, context }, async (site) => {
      const { page } = site;
      await converse(site);
      assertEquals(await width(page), 400);
      assertEquals(await page.evaluate("Object.keys(sessionStorage).length"), 1, "the chat alone");
      await button(page, "More").click();
      await page.getByRole("button", { name: "Wide", pressed: false }).click();
      await atRest(page);
      assertEquals(await width(page), 720);
      await page.reload();
      await button(page, "Good answer").waitFor();
      await page.waitForFunction(`document.querySelector("service-widget").hasAttribute("wide")`);
      assertEquals(await width(page), 720);
      await page.setViewportSize({ width: 600, height: 800 });
      assertEquals(await width(page), 560);
      await page.setViewportSize({ width: 400, height: 800 });
      assertEquals(await width(page), 400);
      await page.setViewportSize({ width: 1280, height: 800 });
      await button(page, "More").click();
      await page.getByRole("button", { name: "Wide", pressed: true }).waitFor();
      assertEquals(await violations(page), []);
      await page.getByRole("button", { name: "Wide" }).click();
      assertEquals(await width(page), 400);
      await page.reload();
      await button(page, "Good answer").waitFor();
      assertEquals(await width(page), 400);
    });
    for (
      const options of [
        { attributes: "" },
        { attributes, width: 360 },
        { attributes: `${attributes} data-layout="page"` },
      ]
    ) {
      await onSite({ browser, ...options }, async ({ page }) => {
        if (await button(page, "Open chat").count()) await button(page, "Open chat").click();
        await button(page, "More").click();
        await button(page, "Close").waitFor();
        assertEquals(await page.getByRole("button", { name: "Wide" }).count(), 0);
      });
    }
  });
});

/** Counts the tones that would be heard. */
async function countTones(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const page = globalThis as unknown as { tones: number };
    page.tones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...when) {
      page.tones++;
      return start.apply(this, when);
    };
  });
}

Deno.test("widget: data-sound plays one tone for an answer that nobody sees, once it is switched on", async () => {
  await onSite({ attributes: `data-sound="on"`, beforeLoad: countTones }, async (site) => {
    const { page, chat, console } = site;
    const tones = () => page.evaluate("tones");
    const hide = (hidden: boolean) =>
      page.evaluate(
        (hidden) =>
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true }),
        hidden,
      );
    await converse(site);
    await hide(true);
    await askAgain(site, "Off?");
    assertEquals(await tones(), 0, "off at first");
    await hide(false);
    await button(page, "More").click();
    await page.getByRole("button", { name: "Sound", pressed: false }).click();
    await askAgain(site, "Seen?");
    assertEquals(await tones(), 0, "seen");
    await hide(true);
    await askAgain(site, "Hidden?");
    assertEquals(await tones(), 1);
    await hide(false);
    await page.getByRole("textbox").fill("Closed?");
    await page.keyboard.press("Enter");
    await page.locator(".mine", { hasText: "Closed?" }).waitFor();
    await page.keyboard.press("Escape");
    chat.say("Closed.");
    assertEquals(await tones(), 1, "not for words");
    chat.done();
    await page.locator(".unread").waitFor();
    assertEquals(await tones(), 2);
    await page.reload();
    await button(page, "Open chat").click();
    await button(page, "Good answer").first().waitFor();
    await button(page, "More").click();
    await page.getByRole("button", { name: "Sound", pressed: true }).waitFor();
    assertEquals(console, []);
  });
});

Deno.test("widget: on a page from right to left launcher and panel are on the left, unless the site says a side", async () => {
  const rtl = { html: `dir="rtl"` };
  const cases: [string, SiteOptions, "left" | "right"][] = [
    ["the page", { elements: rtl }, "left"],
    ["its body", { elements: { body: `dir="rtl"` } }, "left"],
    ["its body again", { elements: { ...rtl, body: `dir="ltr"` } }, "right"],
    ["the tag", { elements: rtl, attributes: `data-position="right"` }, "right"],
    ["the appearance", { elements: rtl, appearance: { position: "right" } }, "right"],
    ["the appearance, left", { appearance: { position: "left" } }, "left"],
    ["an Arabic widget on a page from left to right", { attributes: `data-lang="ar"` }, "right"],
    ["no direction", {}, "right"],
  ];
  await withBrowser(async (browser) => {
    for (const [name, options, side] of cases) {
      await onSite({ browser, ...options }, async ({ page }) => {
        const launcher = page.locator("service-widget .launcher");
        const sideOf = (box: { x: number; width: number } | null) => {
          assert(box, name);
          return box.x + box.width / 2 < 640 ? "left" : "right";
        };
        assertEquals(sideOf(await launcher.boundingBox()), side, name);
        await launcher.click();
        await page.locator(".hello").waitFor();
        await atRest(page);
        assertEquals(sideOf(await page.getByRole("dialog").boundingBox()), side, name);
      });
    }
  });
});
