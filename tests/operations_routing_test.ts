/** docs/operations.md, "Routing to several processes": its nginx in front of two processes. */
import { assert, assertEquals } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { readFrames } from "./support/frames.ts";
import { hasNginx, startNginxWith } from "./support/nginx.ts";
import { openTestKv } from "./support/open_kv.ts";
import { configNamed } from "./support/operations_doc.ts";
import { TestService } from "./support/service.ts";
import { say } from "./support/widget_calls.ts";

const MESSAGES = 6;

const isInstalled = await hasNginx();
if (!isInstalled) {
  console.log(
    "nginx is not installed (apt-get install nginx): the routing configuration is not tested",
  );
}

/** Two services on one store behind the documented proxy; `requests` counts the requests to each. */
async function startFleet() {
  await using stack = new AsyncDisposableStack();
  const kv = stack.use(await openTestKv());
  const requests = [0, 0];
  const start = async (n: number) => {
    const uuid = () => (requests[n]!++, systemRuntime.uuid());
    const env = { TRUSTED_PROXY_HOPS: "1" };
    const limits = { ipRequests: 1e6, keyRequests: 1e6, ipMessages: MESSAGES };
    const service = await TestService.start({ kv, keepKv: true, env, limits, runtime: { uuid } });
    return stack.use(service);
  };
  const [first, second] = [await start(0), await start(1)];
  const host = ({ url }: TestService) => url.replace("http://", "");
  const addresses = { "127.0.0.1:8001": host(first), "127.0.0.1:8002": host(second) };
  const text = await configNamed("nginx", { ...addresses, "listen 8000": "listen 127.0.0.1:PORT" });
  const proxy = stack.use(await startNginxWith((port) => text.replace("PORT", String(port))));
  const owned = stack.move();
  return { first, url: proxy.url, requests, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

Deno.test({
  name:
    "docs/operations.md: behind its nginx, two processes share load and limits, and clients cannot forge an address",
  ignore: !isInstalled,
  async fn() {
    await using fleet = await startFleet();
    const { first, url, requests } = fleet;
    const key = await first.key();
    const { id: agentId } = await first.agent(key);
    requests.fill(0);
    const outcomes: string[] = [];
    for (let n = 0; n < MESSAGES + 2; n++) {
      const response = await fetch(`${url}/v1/chat/stream`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-forwarded-for": `203.0.113.${n}`,
        },
        body: JSON.stringify({ agentId, messages: [say("Hello")] }),
      });
      outcomes.push(
        response.status === 200
          ? (await readFrames(response)).at(-1)!.frame.type
          : `${response.status} ${(await response.json()).code}`,
      );
    }
    const rejected = "429 rate_limit_exceeded";
    assertEquals(outcomes, [...Array(MESSAGES).fill("done"), rejected, rejected]);
    assert(requests.every((count) => count > 0), `requests per process: ${requests}`);
    await first.crash();
    for (let n = 0; n < 4; n++) {
      const response = await fetch(`${url}/readyz`);
      assertEquals([response.status, await response.json()], [200, { status: "ok" }]);
    }
  },
});
