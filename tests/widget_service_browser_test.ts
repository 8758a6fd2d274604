/** The widget and the service together, with a network that is cut: nothing doubled, nothing lost. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { sessionKey } from "@/lib/store/credentials/session_store.ts";
import { withBrowser } from "./support/browser.ts";
import { textOf } from "./support/frames.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";
import { ask } from "./support/widget_site.ts";

const answers = (page: Page) => page.getByRole("log").locator(".turn:not(.mine) .bubble");
const settled = (page: Page) => page.getByRole("button", { name: "Send message" }).waitFor();
/** Text without what only spaces or marks it up. */
const bare = (text: string) => text.replace(/[\s*_`>]+/g, "");

/** Asks and tells the run's id as soon as its first word is there. */
async function askHeld({ page }: RealSite, text = "Where is my order?"): Promise<string> {
  const streamed = page.waitForResponse(/\/v1\/chat\/stream$/);
  await ask(page, text);
  const runId = (await (await streamed).allHeaders())["x-run-id"]!;
  // The first word is there; the rest waits until the run is released.
  await answers(page).last().getByText("Hello").waitFor();
  return runId;
}

/** Resumes as the widget does it, whatever the moment brings. */
const resumed = (page: Page) => page.waitForResponse(/\?after=/);

/** What is shown is what the run said, and the run was begun once. */
async function assertWhole({ page, frames, service, key }: RealSite, runId: string) {
  await settled(page);
  const told = await frames(runId);
  assertEquals(told.at(-1)?.frame, { type: "done", finishReason: "stop" });
  assertEquals(bare(await answers(page).last().innerText()), bare(textOf(told)));
  const usage = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals([usage.runs, usage.activeStreams], [1, 0]);
}

async function reload(site: RealSite): Promise<void> {
  const runId = await askHeld(site);
  const again = resumed(site.page);
  await site.page.reload();
  await again;
  site.held.release();
  await assertWhole(site, runId);
  assertEquals(await site.page.locator(".mine").allInnerTexts(), ["Where is my order?"]);
}

async function cutAndOffline(site: RealSite): Promise<void> {
  const runId = await askHeld(site);
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
  const runId = await askHeld(site);
  await page.getByRole("button", { name: "Stop answering" }).click();
  // Its log ends, once all is settled, although the run was never let go on.
  const told = await site.frames(runId);
  assertEquals(told.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  assertEquals(told.filter(({ frame }) => frame.type === "usage").length, 1);
  const usage = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals([usage.activeStreams, usage.messages], [0, 1]);
  await page.getByRole("log").getByText("This answer is incomplete").waitFor();
  assertEquals(await page.locator(".notice").count(), 0);
}

async function freshTokenMidStream(site: RealSite): Promise<void> {
  const { page } = site;
  const runId = await askHeld(site);
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
  ["a cut connection and a time offline", cutAndOffline],
  ["Stop", stop],
  ["a fresh token in the middle of an answer", freshTokenMidStream],
];

Deno.test("widget and service: nothing is doubled, lost or left running", async (t) => {
  await withBrowser(async (browser) => {
    for (const [name, hold] of CASES) {
      await t.step(`after ${name}`, () => onRealSite({ browser }, hold));
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

/** The conversations of the runs that begin from now on. */
function startsOf(page: Page): () => Promise<unknown[]> {
  const listening = page.evaluate(
    "window.ids = []; void serviceWidget.on('start', ({ conversationId }) => ids.push(conversationId))",
  );
  return async () => {
    await listening;
    return await page.evaluate("ids") as unknown[];
  };
}
