/** However an answer is written, and however it arrives, the page it is shown in keeps running. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { hostileTexts, ordinaryText } from "./support/hostile_markdown.ts";
import type { FakeChat } from "./support/fake_chat.ts";
import { onSite } from "./support/widget_site.ts";

/** Has an answer shown, and tells the longest time (ms) for which the page could do nothing else. */
async function longestStall(page: Page, chat: FakeChat, ...deltas: string[]): Promise<number> {
  chat.say(...deltas);
  chat.done();
  return await page.evaluate(async () => {
    const widget = window.serviceWidget!;
    widget.newConversation();
    widget.open();
    let longest = 0;
    let last = performance.now();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      channel.port2.postMessage(0);
    };
    channel.port2.postMessage(0);
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    const answered = new Promise<void>((resolve) => {
      const off = widget.on("answer", () => (off(), resolve()));
    });
    widget.send("Hello?");
    await answered;
    for (let frames = 0; frames < 3; frames++) await frame();
    channel.port1.close();
    return longest;
  });
}

declare global {
  interface Window {
    serviceWidget?: import("../widget/handle.ts").WidgetHandle;
  }
}

Deno.test("widget: measure", async () => {
  await onSite({}, async ({ page, chat }) => {
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    const L = 8000;
    for (let i = 0; i < 5; i++) console.log("benign", await longestStall(page, chat, ordinaryText(L)));
    const all: [number, string][] = [];
    const t0 = performance.now();
    for (const t of hostileTexts(L)) all.push([await longestStall(page, chat, t), t]);
    console.log("total", performance.now() - t0);
    all.sort((a, b) => b[0] - a[0]);
    for (const [ms, t] of all.slice(0, 40)) console.log(ms.toFixed(1), JSON.stringify(t.slice(0, 30)));
    for (let i = 0; i < 5; i++) console.log("benign", await longestStall(page, chat, ordinaryText(L)));
  });
});
