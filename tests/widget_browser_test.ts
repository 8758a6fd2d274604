/** The built script in a real browser: what visitors see, and that the page stays unaffected. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { answered, ask, focused, onSite } from "./support/widget_site.ts";

Deno.test("widget: the documented script tag renders streamed Markdown as DOM nodes under a strict CSP", async () => {
  await onSite({}, async ({ page, console, chat }) => {
    await ask(page, "Hello?");
    const log = page.getByRole("log");
    await log.locator(".dot").waitFor();
    chat.say(
      "# Title\n\nSome **bold** words. And",
      " more\n\n- one\n- two\n\n<img src=x onerror=alert(1)>",
    );
    await log.locator(".live").waitFor();
    assertEquals(await log.getAttribute("aria-busy"), "true");
    assertStringIncludes(await page.getByRole("status").innerText(), "Some bold words.");
    chat.done();
    await page.getByRole("button", { name: "Send message" }).waitFor();
    assertEquals(await log.locator("h3").innerText(), "Title");
    assertEquals(await log.locator("strong").innerText(), "bold");
    assertEquals(await log.locator("li").allInnerTexts(), ["one", "two"]);
    assertEquals(await log.locator("img").count(), 0);
    assertStringIncludes(await log.innerText(), "<img src=x onerror=alert(1)>");
    assertEquals(await page.evaluate("localStorage.length + document.cookie.length"), 0);
    assertEquals(console.map((line) => line.text), []);
  });
});

Deno.test("widget: the status region is cleared after 10 s, so that screen readers do not read an answer twice", async () => {
  await onSite({ beforeLoad: (page) => page.clock.install() }, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("Some words.");
    chat.done();
    await page.getByRole("status").filter({ hasText: "Some words." }).waitFor({
      state: "attached",
    });
    await page.clock.fastForward(10_000);
    await page.getByRole("status").filter({ hasNotText: "words" }).waitFor({ state: "attached" });
    assertEquals(await page.locator(".bubble > p").innerText(), "Some words.");
  });
});

Deno.test("widget: finished blocks keep their elements while the answer grows", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("First block.\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\nThird");
    const first = page.getByRole("log").locator(".bubble > p").first();
    await first.waitFor();
    await first.evaluate((element) => void Object.assign(element, { mine: true }));
    chat.say(" grows.\n\n```js\nlet a;\n```\n\nEnd.");
    chat.done();
    await page.getByRole("log").getByText("End.").waitFor();
    assertEquals(await first.evaluate((element) => "mine" in element), true);
    assertEquals(await page.locator("pre").innerText(), "let a;");
    assertEquals(await page.locator("td").allInnerTexts(), ["1", "2"]);
  });
});

Deno.test("widget: focus moves to the input on open and back to the launcher on Escape", async () => {
  await onSite({}, async ({ page }) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    assertEquals(await focused(page), "input");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assertEquals(await focused(page), "launcher");
  });
});

Deno.test("widget: the keyboard alone can ask a question, stop the answer and start a new conversation", async () => {
  await onSite({}, async ({ page, chat }) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Hello?");
    await answered(page, () => page.keyboard.press("Enter"));
    chat.say("One");
    await page.locator(".live").waitFor();
    await page.keyboard.press("Tab");
    assertEquals(await focused(page), "action busy");
    const cancelled = page.waitForRequest(/\/cancel$/);
    await page.keyboard.press("Enter");
    await cancelled;
    await page.getByRole("log").getByText("This answer is incomplete").waitFor();
    assertEquals(await focused(page), "action");
    for (let steps = 0; steps < 4; steps++) await page.keyboard.press("Shift+Tab");
    await page.getByRole("button", { name: "New conversation" }).press("Enter");
    await page.getByRole("log").getByText("How can we help?").waitFor();
    assertEquals(await focused(page), "input");
  });
});

Deno.test("widget: Stop shows no error if the service has no cancel route", async () => {
  await onSite({}, async ({ page, chat, console }) => {
    chat.resumes = false;
    await ask(page, "Hello?");
    chat.say("One");
    await page.locator(".live").waitFor();
    await page.getByRole("button", { name: "Stop answering" }).click();
    await page.getByRole("log").getByText("This answer is incomplete").waitFor();
    assertEquals(await page.locator(".notice").count(), 0);
    assertEquals(console.filter((line) => line.text.includes("[service-widget]")), []);
  });
});

Deno.test("widget: scrolling up keeps the scroll position, and Jump to latest returns to the end", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("A line of text.\n\n".repeat(60));
    const log = page.getByRole("log");
    await log.locator(".live p").nth(59).waitFor();
    await log.hover();
    await page.mouse.wheel(0, -400);
    const jump = page.getByRole("button", { name: "Jump to latest" });
    await jump.waitFor();
    const position = await log.evaluate((element) => element.scrollTop);
    chat.say("More.\n\n".repeat(20));
    await log.getByText("More.").nth(19).waitFor();
    assertEquals(await log.evaluate((element) => element.scrollTop), position);
    await page.getByRole("textbox").fill("A line.\n".repeat(3));
    assertEquals(await log.evaluate((element) => element.scrollTop), position);
    await jump.click();
    await jump.waitFor({ state: "detached" });
    const below = () => log.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
    assert(await below() < 2);
    assertEquals(await focused(page), "log");
    await page.getByRole("textbox").fill("A line.\n".repeat(6));
    assert(await below() < 2, "a growing draft must not cover the end of the log");
  });
});

Deno.test("widget: the input grows with its text, and shrinks to one line once the message is sent", async () => {
  await onSite({}, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    const input = page.getByRole("textbox");
    const height = () => input.evaluate((element) => element.clientHeight);
    const line = await height();
    await input.fill("A line.\n".repeat(3));
    assert(await height() > 2 * line, "the input must grow with its text");
    await answered(page, () => input.press("Enter"));
    assertEquals(await height(), line);
  });
});

Deno.test("widget: undo reverts typed text in one step, even while an answer streams", async () => {
  await onSite({}, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("Well");
    await page.locator(".live").waitFor();
    const input = page.getByRole("textbox");
    let text = "Well";
    for (const letter of "more") {
      await input.press(letter);
      chat.say(letter);
      await page.locator(".live").getByText(text += letter).waitFor();
    }
    assertEquals(await input.inputValue(), "more");
    await input.press("ControlOrMeta+z");
    assertEquals(await input.inputValue(), "");
  });
});

Deno.test("widget: suggestions send messages, a running tool is named, and code and answers can be copied", async () => {
  const attributes = `data-suggestions="Where is my order?|Opening hours"`;
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  await onSite({ attributes, context }, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    await answered(page, () => page.getByRole("button", { name: "Where is my order?" }).click());
    assertEquals(await focused(page), "input");
    chat.write({ type: "tool_call", name: "track_order", args: {} });
    await page.getByRole("log").getByText("track order").waitFor();
    chat.write({ type: "tool_result", name: "track_order", output: {} });
    chat.say("Here:\n\n```\nabc\n```\n");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.getByRole("log").getByText("track order").count(), 0);
    const copied = page.getByRole("status").getByText("Copy ✓");
    await page.getByRole("button", { name: "Copy" }).first().click();
    await copied.waitFor({ state: "attached" });
    assertEquals(await page.evaluate("navigator.clipboard.readText()"), "abc");
    await page.locator(".after .copy").click();
    await copied.nth(1).waitFor({ state: "attached" });
    assertStringIncludes(`${await page.evaluate("navigator.clipboard.readText()")}`, "Here:");
  });
});

Deno.test("widget: links show their host, and images load only from permitted origins", async () => {
  await onSite({}, async ({ page, chat, asked }) => {
    const own = new URL(page.url()).origin;
    await ask(page, "Hello?");
    chat.say(
      `[docs](https://example.com/a) ![cat](https://evil.test/p?q=secret) ![own](${own}/own.svg)`,
    );
    chat.done();
    const link = page.getByRole("link", { name: /docs/ });
    await link.waitFor();
    assertEquals(await link.getAttribute("rel"), "noopener noreferrer nofollow");
    assertEquals(await link.getAttribute("target"), "_blank");
    assertStringIncludes(await link.innerText(), "example.com");
    assertEquals(await page.locator("img").count(), 0);
    assertStringIncludes(await page.getByRole("link", { name: /cat/ }).innerText(), "evil.test");
    assertEquals(asked, []);
  });
});

Deno.test("widget: an image from a permitted origin is shown, and requested without a referrer", async () => {
  const beforeLoad = async (page: Page) => {
    await page.addInitScript(() => {
      const script = () => document.querySelector("[data-service-widget]");
      new MutationObserver(() => script()?.setAttribute("data-image-origins", location.origin))
        .observe(document, { childList: true, subtree: true });
    });
  };
  await onSite({ beforeLoad }, async ({ page, chat, asked }) => {
    await ask(page, "Hello?");
    chat.say(`![own](${new URL(page.url()).origin}/own.svg) ![evil](https://evil.test/x)`);
    chat.done();
    const image = page.getByRole("img", { name: "own" });
    await image.waitFor();
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      document.querySelector("service-widget")!.shadowRoot!.querySelector("img")!.complete
    );
    assertEquals(await image.getAttribute("referrerpolicy"), "no-referrer");
    assertEquals(asked, ["GET /own.svg"]);
    assertEquals(await page.getByRole("log").locator("img").count(), 1);
  });
});

Deno.test("widget: at 360 px the open panel fills the screen and the input does not zoom", async () => {
  await onSite({ width: 360, height: 740 }, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    const panel = page.getByRole("dialog");
    await panel.evaluate((element) =>
      Promise.allSettled(element.getAnimations().map((animation) => animation.finished))
    );
    assertEquals(await panel.boundingBox(), { x: 0, y: 0, width: 360, height: 740 });
    const input = page.getByRole("textbox");
    assert(parseFloat(await input.evaluate((el) => getComputedStyle(el).fontSize)) >= 16);
    for (const button of await panel.getByRole("button").all()) {
      const box = (await button.boundingBox())!;
      assert(box.width >= 44 && box.height >= 44, "touch targets must be at least 44 px");
    }
    for (let steps = 0; steps < 8; steps++) await page.keyboard.press("Tab");
    assert(await focused(page), "focus must stay in the panel");
  });
});
