/** The widget with the real service over an unreliable network: nothing is duplicated or lost. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { sessionKey } from "@/lib/store/credentials/session_store.ts";
import { withBrowser } from "./support/browser.ts";
import { textOf } from "./support/frames.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";
import { ask } from "./support/widget_site.ts";

const answers = (page: Page) => page.getByRole("log").locator(".turn:not(.mine) .bubble");
const settled = (page: Page) => page.getByRole("button", { name: "Send message" }).waitFor();
/** Text without whitespace and markup. */
const plain = (text: string) => text.replace(/[\s*_`>]+/g, "");

/** Sends a message, and returns the run's id once its first word is shown; the run is then paused. */
async function askPaused({ page }: RealSite, text = "Where is my order?"): Promise<string> {
  const streamed = page.waitForResponse(/\/v1\/chat\/stream$/);
  await ask(page, text);
  const runId = (await (await streamed).allHeaders())["x-run-id"]!;
  // Everything after the first word waits until the run is released.
  await answers(page).last().getByText("Hello").waitFor();
  return runId;
}

/** The response to the widget's next resume request. */
const resumed = (page: Page) => page.waitForResponse(/\/runs\/.*\/stream$/);

/** The widget shows the whole answer, and only one run was started. */
async function assertWhole({ page, frames, service, key }: RealSite, runId: string) {
  await settled(page);
  const received = await frames(runId);
  assertEquals(received.at(-1)?.frame, { type: "done", finishReason: "stop" });
  assertEquals(plain(await answers(page).last().innerText()), plain(textOf(received)));
  const usage = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals([usage.runs, usage.activeStreams], [1, 0]);
}

async function reload(site: RealSite): Promise<void> {
  const runId = await askPaused(site);
  const again = resumed(site.page);
  await site.page.reload();
  await again;
  site.held.release();
  await assertWhole(site, runId);
  assertEquals(await site.page.locator(".mine").allInnerTexts(), ["Where is my order?"]);
}

async function disconnectAndOffline(site: RealSite): Promise<void> {
  const runId = await askPaused(site);
  await site.page.context().setOffline(true);
  site.network.cut();
  await site.page.getByRole("log").getByText("The connection was lost.").waitFor();
  site.held.release();
  const again = resumed(site.page);
  await site.page.context().setOffline(false);
  await again;
  await assertWhole(site, runId);
}

async function stop(site: RealSite): Promise<void> {
  const { page, service, key } = site;
  const runId = await askPaused(site);
  await page.getByRole("button", { name: "Stop answering" }).click();
  // The log ends once the run is settled, although the model was never released.
  const received = await site.frames(runId);
  assertEquals(received.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  assertEquals(received.filter(({ frame }) => frame.type === "usage").length, 1);
  const usage = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals([usage.activeStreams, usage.messages], [0, 1]);
  await page.getByRole("log").getByText("This answer is incomplete").waitFor();
  assertEquals(await page.locator(".notice").count(), 0);
}

async function newTokenMidStream(site: RealSite): Promise<void> {
  const { page } = site;
  const runId = await askPaused(site);
  const token = await site.mint();
  await page.evaluate(`serviceWidget.setSessionToken(${JSON.stringify(token)})`);
  const again = resumed(page);
  site.network.cut();
  assertEquals((await (await again).request().allHeaders())["x-service-session"], token);
  site.held.release();
  await assertWhole(site, runId);
}

const CASES: [string, (site: RealSite) => Promise<void>][] = [
  ["a reload", reload],
  ["a lost connection and a time offline", disconnectAndOffline],
  ["Stop", stop],
  ["a new token during an answer", newTokenMidStream],
];

Deno.test("widget and service: nothing is duplicated, lost or left running", async (t) => {
  await withBrowser(async (browser) => {
    for (const [name, check] of CASES) {
      await t.step(`after ${name}`, () => onRealSite({ browser }, check));
    }
    await t.step("when a revoked session is renewed at the endpoint", () => renewed(browser));
    await t.step("when the session's messages are used up", () => capReached(browser));
  });
});

async function renewed(browser: Browser): Promise<void> {
  await onRealSite({ browser, endpoint: true }, async (site) => {
    const { page, service, key, minted } = site;
    site.held.release();
    await ask(page, "One?");
    await settled(page);
    const json = { sessionToken: minted[0] };
    const revoked = await service.fetch("/v1/widget/session", { method: "DELETE", key, json });
    assertEquals(revoked.status, 204);
    const conversations = startsOf(page);
    await page.evaluate("serviceWidget.send('Two?')");
    await answers(page).nth(1).getByText("message 2 of our conversation").waitFor();
    await settled(page);
    assertEquals(minted.length, 2);
    assertEquals(await page.locator(".notice").count(), 0);
    assertEquals((await conversations()).length, 1);
  });
}

async function capReached(browser: Browser): Promise<void> {
  await onRealSite({ browser }, async (site) => {
    const { page, kv, minted, console } = site;
    site.held.release();
    const key = await sessionKey(minted[0]!);
    const { value } = await kv.get<{ messageCap: number }>(key);
    await kv.set(key, { ...value, messages: value!.messageCap - 2 });
    const conversations = startsOf(page);
    await ask(page, "One?");
    await page.getByText("Messages left: 1").waitFor();
    await settled(page);
    await page.evaluate("serviceWidget.send('Two?')");
    await page.getByText("Messages left: 0").waitFor();
    await settled(page);
    await page.evaluate("serviceWidget.send('Three?')");
    await page.locator(".notice").getByText("Please reload the page.").waitFor();
    const hint = console.find(({ text }) => text.includes("[service-widget]"));
    assertStringIncludes(hint?.text ?? "", "call setSessionToken()");
    await page.evaluate(`serviceWidget.setSessionToken(${JSON.stringify(await site.mint())})`);
    await answers(page).nth(2).getByText("message 3 of our conversation").waitFor();
    await settled(page);
    const ids = await conversations();
    assertEquals([ids.length, new Set(ids).size], [3, 1]);
  });
}

/** Collects the conversation ids of the runs that start from now on. */
function startsOf(page: Page): () => Promise<unknown[]> {
  const listening = page.evaluate(
    "window.ids = []; void serviceWidget.on('start', ({ conversationId }) => ids.push(conversationId))",
  );
  return async () => {
    await listening;
    return await page.evaluate("ids") as unknown[];
  };
}
