/** deploy/compose/haproxy.cfg in front of two processes: a stopping one gets no requests while it serves. */
import { assert, assertEquals } from "@std/assert";
import { freePort } from "./support/free_port.ts";
import { readFrames } from "./support/frames.ts";
import { startHaproxy } from "./support/haproxy.ts";
import { isInstalled } from "./support/installed_program.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { say } from "./support/widget_calls.ts";

const ignore = !isInstalled("haproxy");
if (ignore) {
  console.log(
    "haproxy is not installed (apt-get install haproxy): its configuration is not tested",
  );
}

/** The file with other addresses; each must occur in it. */
async function configFor(change: Record<string, string>): Promise<string> {
  const file = new URL("../deploy/compose/haproxy.cfg", import.meta.url);
  let text = await Deno.readTextFile(file);
  for (const [from, to] of Object.entries(change)) {
    assert(text.includes(from), from);
    text = text.replace(from, to);
  }
  return text;
}

Deno.test({
  name: "deploy/compose: HAProxy sends requests to both processes, and none to one that stops",
  ignore,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const kv = stack.use(await openTestKv());
    const chats = [0, 0];
    const start = async (n: number) => {
      const env = { TRUSTED_PROXY_HOPS: "1" };
      const limits = { ipRequests: 1e6, keyRequests: 1e6, ipMessages: 1e6 };
      const service = stack.use(await TestService.start({ kv, keepKv: true, env, limits }));
      const { chat } = service.service;
      const startChat = chat.start.bind(chat);
      // Health checks are requests too, so only chats count.
      chat.start = (...args) => (chats[n]!++, startChat(...args));
      return service;
    };
    const [first, second] = [await start(0), await start(1)];
    const host = ({ url }: TestService) => url.replace("http://", "");
    const proxy = stack.use(
      await startHaproxy((port) =>
        configFor({
          "agent-chat-1:8000": host(first),
          "agent-chat-2:8000": host(second),
          "bind :8000": `bind 127.0.0.1:${port}`,
          "bind :4513": `bind 127.0.0.1:${freePort()}`,
          "denokv:4512": "127.0.0.1:1",
        })
      ),
    );
    const key = await first.key();
    const { id: agentId } = await first.agent(key);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ agentId, messages: [say("Hello")] });
    const chat = async () => {
      const url = `http://${proxy.host}/v1/chat/stream`;
      const response = await fetch(url, { method: "POST", headers, body });
      assertEquals(response.status, 200);
      assertEquals((await readFrames(response)).at(-1)!.frame.type, "done");
    };
    for (let n = 0; n < 4; n++) await chat();
    assert(chats.every((count) => count > 0), `chats per process: ${chats}`);
    first.service.announceStop();
    // HAProxy notices within two checks. Until then the process still answers.
    let before: number;
    do {
      before = chats[0]!;
      for (let n = 0; n < 3; n++) await chat();
    } while (chats[0]! > before);
    assertEquals((await fetch(`${first.url}/readyz`)).status, 503);
  },
});
