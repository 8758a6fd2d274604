/** `client.v1.js` as integrators use it: loaded from the service and run against it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as Client from "@/widget/client/client.ts";
import { withBrowser } from "./support/browser.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { onRealSite } from "./support/real_site.ts";
import { TestService } from "./support/service.ts";
import { embed } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const ANSWER =
  "Hello! I am the demo model: I come with the service, cost nothing and know nothing. " +
  "You asked: “Hello?”";

/** Imports the exact bytes that the service serves. */
async function connect(service: TestService): Promise<typeof Client> {
  const source = await (await service.fetch("/client.v1.js")).bytes();
  return await import(`data:text/javascript;base64,${source.toBase64()}`);
}

async function options(service: TestService, content = "Hello?") {
  const { agent, sessionToken } = await embed(service);
  const messages = [{ role: "user" as const, content }];
  return { apiBase: service.url, agentId: agent.id, sessionToken, messages };
}

Deno.test("client.v1.js: in Deno, streams an answer, its usage and the messages left in the session", async () => {
  await using service = await TestService.start();
  const { chat } = await connect(service);
  const reply = chat(await options(service));
  let text = "";
  const types = new Set<string>();
  for await (const frame of reply) {
    types.add(frame.type);
    if (frame.type === "delta") text += frame.text;
  }
  assertStringIncludes(text, ANSWER);
  assertEquals([...types], ["start", "delta", "usage", "done"]);
  assertEquals(reply.messagesLeft, 49);
});

Deno.test("client.v1.js: another program resumes a run at a position, without duplicate text", async () => {
  await using service = await TestService.start();
  const { chat } = await connect(service);
  const request = await options(service);
  const first = chat(request);
  let text = "";
  for await (const frame of first) {
    if (frame.type === "delta") text += frame.text;
    if (text !== "") break;
  }
  for await (const frame of chat({ ...request, after: first.position })) {
    if (frame.type === "delta") text += frame.text;
  }
  assertEquals(text.split("Hello!").length, 2);
  assertStringIncludes(text, ANSWER);
});

Deno.test("client.v1.js: stop cancels the run on the service, and a rejected request throws its code", async () => {
  // The runtime pauses after the first word, so only stop can end the run.
  await using service = await TestService.start({ runtime: pausableRuntime().runtime });
  const { chat, ChatError } = await connect(service);
  const request = await options(service);
  const reply = chat(request);
  const ends: string[] = [];
  for await (const frame of reply) {
    if (frame.type === "start") reply.stop();
    if (frame.type === "done") ends.push(frame.finishReason);
  }
  assertEquals(ends, ["cancelled"]);
  const rejected = chat({ ...request, sessionToken: "cs_nobody_ever_minted_this" });
  const error = await Array.fromAsync(rejected).catch((error) => error);
  assertEquals(error instanceof ChatError && error.code, "session_token_invalid");
});

Deno.test("client.v1.js: the example in docs/client.md runs on a page of another origin", async () => {
  const docs = await Deno.readTextFile(new URL("../docs/client.md", import.meta.url));
  const example = /```js\n(.*?)```/s.exec(docs)![1]!;
  const html = ({ base, agent }: { base: string; agent: { id: string } }) =>
    `<output></output><button>Stop</button><script type="module">${
      example.replaceAll("https://chat.example.com", base)
        .replace("/chat-session", "/mint").replace(/[0-9a-f-]{36}/, agent.id)
    }; document.title = "over";</script>`;
  await withBrowser(async (browser) => {
    await onRealSite({ browser, html, endpoint: true }, async ({ page, held, console }) => {
      await page.locator("output").getByText("Hello!").waitFor();
      held.release();
      await page.waitForFunction("document.title === 'over'");
      assertStringIncludes(await page.locator("output").innerText(), "hear something new.");
      assertEquals(console, []);
    });
    await onRealSite({ browser, html, endpoint: true }, async ({ page }) => {
      await page.locator("output").getByText("Hello!").waitFor();
      await page.getByRole("button").click();
      await page.waitForFunction("document.title === 'over'");
      assertEquals(await page.locator("output").innerText(), "Hello! ");
    });
  });
});

Deno.test("client.v1.js: a header links its type declarations, which match the source", async () => {
  await using service = await TestService.start();
  const script = await service.fetch("/client.v1.js");
  assertEquals(script.headers.get("access-control-allow-origin"), "*");
  const path = script.headers.get("x-typescript-types")!;
  await script.body?.cancel();
  const types = await service.fetch(path);
  assertEquals(types.headers.get("content-type"), "application/typescript; charset=utf-8");
  const source = new URL("../widget/client/client.d.ts", import.meta.url);
  assertEquals(await types.text(), await Deno.readTextFile(source));
});

Deno.test("a pinned script and its integrity hash stay valid after the service is upgraded", async () => {
  using kv = await openTestKv();
  const pins: { pinned: string; integrity: string }[] = [];
  const scripts = { widget: new TextEncoder().encode("// the release before") };
  {
    await using before = await TestService.start({ kv, keepKv: true, scripts });
    pins.push(await (await before.fetch("/widget.v1.json")).json());
    pins.push(await (await before.fetch("/client.v1.json")).json());
  }
  await using after = await TestService.start({ kv, keepKv: true });
  const now = await (await after.fetch("/widget.v1.json")).json();
  assertEquals(now.pinned === pins[0]!.pinned, false);
  for (const { pinned, integrity } of [...pins, now]) {
    const script = await after.fetch(pinned);
    assertEquals([script.status, script.headers.get("access-control-allow-origin")], [200, "*"]);
    const digest = await crypto.subtle.digest("SHA-384", await script.arrayBuffer());
    assertEquals(`sha384-${new Uint8Array(digest).toBase64()}`, integrity);
  }
});
