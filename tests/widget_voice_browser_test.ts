/** Voice in the widget, with a browser's interfaces faked: Chromium without a head has neither. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import {
  answered,
  ask,
  atRest,
  focused,
  onSite,
  type Site,
  type SiteOptions,
} from "./support/widget_site.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page) => page.getByRole("textbox", { name: "Write a message" });
const announced = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).waitFor({ state: "attached" });

/** Records what is spoken, and lets the test say what is heard. */
const FAKES = `
  window.spoken = [];
  window.ended = [];
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  Object.defineProperty(window, "speechSynthesis", { value: {
    speak: (one) => { spoken.push(one.lang + ": " + one.text); ended.push(one); },
    cancel: () => spoken.push("cancel"),
  }});
  window.SpeechRecognition = window.webkitSpeechRecognition = class {
    start() { window.heard = this; }
    stop() { this.onend(); }
    abort() { this.fail("aborted"); }
    hear(...texts) { this.onresult({ results: texts.map((transcript) => [{ transcript }]) }); }
    fail(error) { this.onerror({ error }); this.onend(); }
  };
`;
const runs = (script: string) => async (page: Page) => void await page.addInitScript(script);
const beforeLoad = runs(FAKES);

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

async function askAndAnswer({ page, chat }: Site): Promise<void> {
  await ask(page, "What is it?");
  chat.say("It is **red**. See [the shop](https://shop.example/).\n\n- One\n- Two 3.5");
  chat.done();
  await button(page, "Read aloud").waitFor();
}

Deno.test("widget: an answer is read aloud without its Markdown, and stops on a press, a question or a close", async () => {
  await onSite({ beforeLoad, attributes: `data-lang="en"` }, async (site) => {
    const { page, chat, console } = site;
    const spoken = () => page.evaluate("spoken.splice(0)");
    await askAndAnswer(site);
    const read = button(page, "Read aloud");
    const words = ["en: It is red .", "en: See the shop .", "en: One", "en: Two 3.5"];
    await read.press("Enter");
    await page.locator(".thumb[aria-pressed=true]").waitFor();
    assertEquals(await spoken(), words);
    assertEquals(await violations(page), []);
    await read.press("Enter");
    await page.locator(".thumb[aria-pressed=true]").waitFor({ state: "detached" });
    assertEquals(await spoken(), ["cancel"]);
    await read.click();
    await page.evaluate("ended.at(-1).onend()");
    await page.locator(".thumb[aria-pressed=true]").waitFor({ state: "detached" });
    await read.click();
    await page.locator(".thumb[aria-pressed=true]").waitFor();
    await spoken();
    await page.keyboard.press("Escape");
    assertEquals(await spoken(), ["cancel"]);
    await page.getByRole("button", { name: "Open chat" }).click();
    await read.click();
    await spoken();
    await field(page).fill("And?");
    await answered(page, () => page.keyboard.press("Enter"));
    assertEquals(await spoken(), ["cancel"]);
    chat.say("Done.");
    chat.done();
    await read.nth(1).click();
    await spoken();
    await button(page, "New conversation").click();
    await read.first().waitFor({ state: "detached" });
    assertEquals(await spoken(), ["cancel"]);
    assertEquals(console, []);
  });
});

Deno.test("widget: what is said goes into the field as it is recognized, and nothing is sent by itself", async () => {
  await onSite({ beforeLoad }, async (site) => {
    const { page, chat, console } = site;
    await askAndAnswer(site);
    await field(page).fill("Hello,");
    await button(page, "More").click();
    await button(page, "Speak").press("Enter");
    await announced(page, "Listening…");
    await page.locator(".voice").getByText("Listening…").waitFor();
    assertEquals(await focused(page), "retry");
    assertEquals(await violations(page), []);
    assertEquals(await page.evaluate("heard.lang + heard.continuous"), "entrue");
    await page.evaluate(`heard.hear("what does")`);
    assertEquals(await field(page).inputValue(), "Hello, what does");
    await page.evaluate(`heard.hear("what does", " it cost")`);
    assertEquals(await field(page).inputValue(), "Hello, what does it cost");
    await button(page, "Stop").press("Enter");
    await page.locator(".voice").waitFor({ state: "detached" });
    assertEquals(await focused(page), "input");
    const sent = chat.seen.filter(({ method }) => method === "POST");
    assertEquals(sent.length, 1, "nothing is sent");
    await page.reload();
    assertEquals(await field(page).inputValue(), "Hello, what does it cost", "it is a draft");
    await button(page, "More").click();
    await button(page, "Speak").click();
    await page.evaluate(`heard.hear("!")`);
    await field(page).fill("Mine.");
    await page.evaluate(`heard.hear("theirs")`);
    await page.locator(".voice").waitFor({ state: "detached" });
    assertEquals(await field(page).inputValue(), "Mine.", "what is typed wins");
    assertEquals(console, []);
  });
});

Deno.test("widget: a microphone that may not be used, and silence, each have a calm text", async () => {
  await onSite({ beforeLoad }, async (site) => {
    const { page } = site;
    await page.getByRole("button", { name: "Open chat" }).click();
    for (
      const [error, text] of [
        ["not-allowed", "The microphone is not available."],
        ["no-speech", "Nothing was heard."],
      ]
    ) {
      await button(page, "More").click();
      await button(page, "Speak").click();
      await page.locator(".voice").waitFor();
      await page.evaluate(`heard.fail(${JSON.stringify(error)})`);
      await page.locator(".footnote").getByText(text!).waitFor();
      await announced(page, text!);
      assertEquals(await focused(page), "input");
      assertEquals(await violations(page), []);
    }
    await field(page).fill("Typed");
    await answered(page, () => page.keyboard.press("Enter"));
    await page.locator(".footnote").waitFor({ state: "detached" });
  });
});

Deno.test("widget: data-voice, the appearance, and a browser without speech leave voice out", async () => {
  const none =
    "for (const name of ['speechSynthesis', 'SpeechRecognition', 'webkitSpeechRecognition'])" +
    "delete window[name]";
  const without: SiteOptions[] = [
    { beforeLoad, attributes: `data-voice="off"` },
    { beforeLoad, appearance: { voice: "off" } },
    { beforeLoad: runs(none) },
  ];
  for (const options of without) {
    await onSite(options, async ({ page, chat }) => {
      await ask(page, "What is it?");
      chat.say("Red.");
      chat.done();
      await button(page, "Copy").waitFor();
      assertEquals(await button(page, "Read aloud").count(), 0);
      await button(page, "More").click();
      await page.locator(".item").first().waitFor();
      assertEquals(await button(page, "Speak").count(), 0);
    });
  }
});
