/** No answer blocks the page, whatever its text and however it is chunked. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { FakeChat } from "./support/fake_chat.ts";
import { hostileTexts, ordinaryText } from "./support/hostile_markdown.ts";
import { answered, ask, onSite } from "./support/widget_site.ts";
import type { WidgetScript } from "../widget/find_script.ts";

/** Length of the compared answers, in characters. */
const LENGTH = 16_000;
/** Maximum time of the slowest hostile answer, relative to an ordinary one. */
const MAX_RATIO = 3;
/** A measurement is repeated, because other processes disturb it. */
const TRIES = 4;

/** Sends a message in a new conversation, and resolves once the whole answer is rendered. */
async function showAnswer(page: Page, chat: FakeChat, deltas: string[]): Promise<void> {
  chat.say(...deltas);
  chat.done();
  await page.evaluate(async () => {
    const widget = document.querySelector<WidgetScript>("[data-service-widget]")!.serviceWidget!;
    widget.newConversation();
    widget.open();
    const answered = new Promise<void>((resolve) => {
      const off = widget.on("answer", () => (off(), resolve()));
    });
    widget.send("Hello?");
    await answered;
    for (let frames = 0; frames < 2; frames++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** Returns a function that measures an answer in milliseconds of CPU time of the page's main thread. */
async function stopwatch(page: Page, chat: FakeChat) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuTime = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value * 1000;
  };
  return async (...deltas: string[]) => {
    const before = await cpuTime();
    await showAnswer(page, chat, deltas);
    return await cpuTime() - before;
  };
}

Deno.test("widget: no hostile answer keeps the page busy more than three times as long as an ordinary one", async () => {
  await onSite({}, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    const measure = await stopwatch(page, chat);
    const fastest = async (...deltas: string[]) => {
      let ms = Infinity;
      for (let tries = 0; tries < TRIES; tries++) ms = Math.min(ms, await measure(...deltas));
      return ms;
    };
    await measure(ordinaryText(LENGTH));
    const bound = MAX_RATIO * await fastest(ordinaryText(LENGTH));
    for (const text of hostileTexts(LENGTH)) {
      if (await measure(text) <= bound) continue;
      const ms = await fastest(text);
      assert(ms <= bound, `${ms} ms of ${bound} ms: ${JSON.stringify(text.slice(0, 40))}`);
    }
  });
});

Deno.test("widget: an answer in thousands of small deltas is rendered at most once per animation frame", async () => {
  const beforeLoad = async (page: Page) => {
    // An observer of the document does not see into a shadow root, so observe each one as it is attached.
    await page.addInitScript(() => {
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = function (init) {
        const root = attach.call(this, init);
        const renders = { max: 0 };
        let current = 0;
        new MutationObserver(() => renders.max = Math.max(renders.max, ++current))
          .observe(root, { subtree: true, childList: true, characterData: true });
        const count = () => {
          current = 0;
          requestAnimationFrame(count);
        };
        count();
        Object.assign(globalThis, { renders });
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
    await page.evaluate("renders.max = 0");
    const many = await measure(...small);
    assertEquals(await page.evaluate("renders.max"), 1);
    assert(many < 5 * whole, `${many} ms in small frames, ${whole} ms in one`);
  });
});

/** Simulates a tab that can be hidden: animation frames wait until it is shown again. */
async function hideable(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let hidden = false;
    const pending: FrameRequestCallback[] = [];
    const original = globalThis.requestAnimationFrame;
    Object.defineProperty(document, "hidden", { get: () => hidden });
    globalThis.requestAnimationFrame = (callback) =>
      original((time) => hidden ? pending.push(callback) : callback(time));
    const show = (visible: boolean) => {
      hidden = !visible;
      if (visible) pending.splice(0).forEach((callback) => callback(performance.now()));
      document.dispatchEvent(new Event("visibilitychange"));
    };
    Object.assign(globalThis, { show });
  });
}

Deno.test("widget: a hidden tab without animation frames loses neither text nor the end of an answer", async () => {
  await onSite({ beforeLoad: hideable }, async ({ page, chat }) => {
    const status = page.getByRole("status");
    await ask(page, "Hello?");
    chat.say("One. ");
    await page.locator(".live").getByText("One.").waitFor();
    await page.evaluate("show(false)");
    chat.say("Two. ", "Three. ");
    chat.done();
    await status.getByText("Three.").waitFor({ state: "attached" });
    await page.evaluate("show(true)");
    await page.getByRole("button", { name: "Send message" }).waitFor();
    assertEquals(await page.locator(".bubble").last().innerText(), "One. Two. Three.");

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
