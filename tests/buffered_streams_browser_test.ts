/** The widget where a proxy holds streams back until they end: docs/protocol.md. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page, Request } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { startBufferingNginx, startBufferingProxy } from "./support/buffering_proxy.ts";
import { textOf } from "./support/frames.ts";
import { hasNginx } from "./support/nginx.ts";
import { onRealSite, type RealSite } from "./support/real_site.ts";

const PROXIES = [
  { name: "a proxy that buffers everything", proxy: startBufferingProxy, isInstalled: true },
  {
    name: "nginx with proxy_buffering on",
    proxy: startBufferingNginx,
    isInstalled: await hasNginx(),
  },
];
const settled = (page: Page) => page.getByRole("button", { name: "Send message" }).waitFor();
/** Text without whitespace and markup. */
const plain = (text: string) => text.replace(/[\s*_`>]+/g, "");

/** Sends a message; its stream never begins. */
async function ask(page: Page, text: string): Promise<Request> {
  await page.getByRole("button", { name: "Open chat" }).click();
  await page.getByRole("textbox").fill(text);
  const streamed = page.waitForRequest(/\/v1\/chat\/stream$/);
  await page.keyboard.press("Enter");
  return await streamed;
}

/** The chat requests that the page sends, as method and path. */
function chatRequests({ page }: RealSite): string[] {
  const sent: string[] = [];
  page.on("request", (request: Request) => {
    const { pathname, search } = new URL(request.url());
    const path = pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ":id") + search;
    if (pathname.startsWith("/v1/chat/")) sent.push(`${request.method()} ${path}`);
  });
  return sent;
}

/** The widget shows every word of its only run, which was charged once. */
async function assertWhole(site: RealSite, { messages }: { messages: number }) {
  const { page, service, key } = site;
  await settled(page);
  const usage = await (await service.fetch("/v1/usage", { key })).json();
  assertEquals([usage.messages, usage.runs, usage.activeStreams], [messages, messages, 0]);
  const { data } = await (await service.fetch("/v1/conversations", {
    key: await service.key(["conversations:read"]),
  })).json();
  assertEquals(data.length, 1);
}

async function throughPolls(site: RealSite): Promise<void> {
  const { page, held, service } = site;
  const sent = chatRequests(site);
  const answers = page.locator(".turn:not(.mine) .bubble");
  const streamed = await ask(page, "Where is my order?");
  const { "idempotency-key": key } = streamed.headers();
  const lost = page.getByRole("log").getByText("The connection was lost.");
  const repeated = page.waitForRequest(/\/v1\/chat\/stream\?wait=25$/);
  await page.clock.fastForward(7_000);
  assertEquals((await repeated).headers()["idempotency-key"], key);
  // The model waits after its first word: the stream is not complete, so no byte of it has arrived.
  await answers.first().getByText("Hello").waitFor();
  assertEquals(service.service.chat.active.length, 1);
  const runId = service.service.chat.active[0]!.id;
  held.release();
  await assertWhole(site, { messages: 1 });
  assertEquals(plain(await answers.first().innerText()), plain(textOf(await site.frames(runId))));
  assertEquals(await lost.count(), 0);
  const [first, second, ...polls] = sent.splice(0);
  assertEquals([first, second], ["POST /v1/chat/stream", "POST /v1/chat/stream?wait=25"]);
  assert(polls.length > 0);
  for (const poll of polls) assertEquals(poll, "GET /v1/chat/runs/:id/stream?wait=25");

  // The page knows now, and the next message waits for nothing.
  await page.evaluate("void serviceWidget.send('And my invoice?')");
  await answers.nth(1).getByText("message 2 of our conversation").waitFor();
  await assertWhole(site, { messages: 2 });
  assertEquals(sent[0], "POST /v1/chat/stream?wait=25");
  for (const poll of sent.slice(1)) assertMatch(poll, /^GET .*\?wait=25$/);
}

async function stopped(site: RealSite): Promise<void> {
  const { page, service } = site;
  await ask(page, "Where is my order?");
  const streamed = page.waitForResponse(/\/v1\/chat\/stream\?wait=25$/);
  await page.clock.fastForward(7_000);
  await streamed;
  const cancelled = page.waitForResponse(/\/cancel$/);
  await page.getByRole("button", { name: "Stop answering" }).click();
  assertEquals((await cancelled).status(), 202);
  await settled(page);
  while (service.service.chat.active.length > 0) {
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
  }
}

for (const { name, proxy, isInstalled } of PROXIES) {
  Deno.test({
    name: `widget: behind ${name} an answer appears while it is written, and is charged once`,
    ignore: !isInstalled,
    async fn(t) {
      await withBrowser(async (browser) => {
        const options = {
          browser,
          proxy: (upstream: string) => proxy(upstream),
          beforeLoad: (page: Page) => page.clock.install(),
        };
        await t.step("to the end", () => onRealSite(options, throughPolls));
        await t.step("until it is stopped", () => onRealSite(options, stopped));
      });
    },
  });
}
