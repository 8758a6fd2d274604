/** However an answer is written, and however it arrives, the page it is shown in keeps running. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { FakeChat } from "./support/fake_chat.ts";
import { hostileTexts, ordinaryText } from "./support/hostile_markdown.ts";
import { answered, ask, onSite } from "./support/widget_site.ts";
import type { WidgetScript } from "../widget/find_script.ts";

/** Of the answers compared: a long one. */
const LENGTH = 16_000;
/** What the slowest hostile answer may take of the time of an ordinary one. */
const MAX_RATIO = 3;
/** Another process may take the caches away from under a measurement. */
const TRIES = 4;

/** Asks in a new conversation, and resolves once the answer has been drawn to its end. */
async function showAnswer(page: Page, chat: FakeChat, deltas: string[]): Promise<void> {
  chat.say(...deltas);
  chat.done();
  await page.evaluate(async () => {
    const widget = document.querySelector<WidgetScript>("script")!.serviceWidget!;
    widget.newConversation();
    widget.open();
    const answered = new Promise<void>((resolve) => {
      const off = widget.on("answer", () => (off(), resolve()));
    });
    widget.send("Hello?");
    await answered;
    for (let frames = 0; frames < 2; frames++) {
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  });
}

/** Measures an answer: milliseconds of processor time of the page's thread, whatever else runs. */
async function stopwatch(page: Page, chat: FakeChat) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000;
  };
  return async (...deltas: string[]) => {
    const before = await worked();
    await showAnswer(page, chat, deltas);
    return await worked() - before;
  };
}

Deno.test("widget: no hostile answer keeps the page busy three times as long as an ordinary one", async () => {
  await onSite({}, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    const measure = await stopwatch(page, chat);
    const least = async (...deltas: string[]) => {
      let ms = Infinity;
      for (let tries = 0; tries < TRIES; tries++) ms = Math.min(ms, await measure(...deltas));
      return ms;
    };
    await measure(ordinaryText(LENGTH));
    const bound = MAX_RATIO * await least(ordinaryText(LENGTH));
    for (const text of hostileTexts(LENGTH)) {
      if (await measure(text) <= bound) continue;
      const ms = await least(text);
      assert(ms <= bound, `${ms} ms of ${bound} ms: ${JSON.stringify(text.slice(0, 40))}`);
    }
  });
});

Deno.test("widget: an answer in thousands of small frames is drawn once in each animation frame", async () => {
  const beforeLoad = async (page: Page) => {
    // The widget's elements are drawn where nobody outside of it can look.
    await page.addInitScript(() => {
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = function (init) {
        const root = attach.call(this, init);
        const drawn = { most: 0 };
        let now = 0;
        new MutationObserver(() => drawn.most = Math.max(drawn.most, ++now))
          .observe(root, { subtree: true, childList: true, characterData: true });
        const count = () => {
          now = 0;
          requestAnimationFrame(count);
        };
        count();
        Object.assign(globalThis, { drawn });
        return root;
      };
    });
  };
  await onSite({ beforeLoad }, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    const small = ordinaryText(12_000).match(/[^]{1,4}/g)!;
    const measure = await stopwatch(page, chat);
    await measure(small.join(""));
    const whole = await measure(small.join(""));
    await page.evaluate("drawn.most = 0");
    const many = await measure(...small);
    assertEquals(await page.evaluate("drawn.most"), 1);
    assert(many < 5 * whole, `${many} ms in small frames, ${whole} ms in one`);
  });
});

/** Frames that were asked for come no more once the tab is hidden, and at once when it is shown. */
async function hideable(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let hidden = false;
    const held: FrameRequestCallback[] = [];
    const later = globalThis.requestAnimationFrame;
    Object.defineProperty(document, "hidden", { get: () => hidden });
    globalThis.requestAnimationFrame = (callback) =>
      later((time) => hidden ? held.push(callback) : callback(time));
    const show = (visible: boolean) => {
      hidden = !visible;
      if (visible) held.splice(0).forEach((callback) => callback(performance.now()));
      document.dispatchEvent(new Event("visibilitychange"));
    };
    Object.assign(globalThis, { show });
  });
}

Deno.test("widget: a hidden tab, where no animation frame comes, loses no word and no end", async () => {
  await onSite({ beforeLoad: hideable }, async ({ page, chat }) => {
    const status = page.getByRole("status");
    await ask(page, "Hello?");
    chat.say("One. ");
    await page.locator(".live").getByText("One.").waitFor();
    await page.evaluate("show(false)");
    chat.say("Two. ", "Three. ");
    chat.done();
    // What was asked for while it was shown waits for the next frame; the run's end does not.
    await page.waitForFunction(
      "sessionStorage.length && !JSON.parse(sessionStorage[sessionStorage.key(0)]).attempt",
    );
    await page.evaluate("show(true)");
    await page.getByRole("button", { name: "Send message" }).waitFor();
    assertEquals(await page.locator(".bubble").last().innerText(), "One. Two. Three.");
    await status.getByText("Three.").waitFor({ state: "attached" });

    await page.evaluate("show(false)");
    await answered(page, () => page.evaluate("void serviceWidget.send('More?')"));
    chat.say("Four. ");
    await status.getByText("Four.").waitFor({ state: "attached" });
    const cancelled = page.waitForRequest(/\/cancel$/);
    await page.evaluate("serviceWidget.stop()");
    await cancelled;
    await page.getByText("This answer is incomplete").waitFor({ state: "attached" });
  });
});
