/** Incomplete bodies are limited before authentication: CONTRACT section 8. */
import { assertEquals, assertRejects } from "@std/assert";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const BODY_MS = 10_000;
const MOST = 3;

async function start() {
  const clock = new ManualClock();
  const limits = { ...DEFAULT_LIMITS, ipRequests: MOST };
  const env = { TRUSTED_PROXY_HOPS: "1" };
  const service = await TestService.start({ runtime: clock.runtime, limits, env });
  let sent = 0;
  /** Starts a chat whose body is incomplete; at most one per millisecond. */
  const beginBody = async () => {
    let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (given) => void (controller = given),
    });
    controller.enqueue(new TextEncoder().encode("{"));
    const response = service.fetch("/v1/chat/stream", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    await clock.asleepUntil(BODY_MS + sent++);
    await clock.advance(1);
    return {
      response,
      close: () => controller.close(),
      cut: () => controller.error(new Error("cut")),
    };
  };
  const ask = async (address: string) => {
    const response = await service.fetch("/v1/agents", { headers: { "x-forwarded-for": address } });
    const { details } = await response.json();
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, scope: details?.scope, retryAfter };
  };
  return { service, clock, beginBody, ask };
}

async function statusOf({ response }: { response: Promise<Response> }): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

Deno.test("/v1: an address has at most as many incomplete bodies as it may send requests per minute", async () => {
  const { service, clock, beginBody, ask } = await start();
  await using _ = service;
  const { inFlight } = service.service.rateLimiterDeps;
  const sent = [await beginBody(), await beginBody(), await beginBody()];
  assertEquals(await ask("127.0.0.1"), { status: 429, scope: "ip", retryAfter: "60" });
  assertEquals((await ask("192.0.2.7")).status, 401);

  // A disconnected client's request still counts, and frees room for another.
  const cut = assertRejects(() => sent[0]!.response);
  sent[0]!.cut();
  await cut;
  let response = await ask("127.0.0.1");
  while (response.status === 429) response = await ask("127.0.0.1");
  assertEquals(response.status, 401);
  sent[1]!.close();
  assertEquals(await statusOf(sent[1]!), 401);
  // The window is full by now, and that is reported before the issue.
  await clock.advance(BODY_MS);
  assertEquals(await statusOf(sent[2]!), 429);
  sent[2]!.cut();
  assertEquals(inFlight.addresses, 0);
});

Deno.test("/v1/chat/stream: a stream releases its body slot once its message is counted", async () => {
  const { service } = await start();
  await using _ = service;
  const key = await service.key();
  const agent = await service.agent(key);
  const body = { agentId: agent.id, messages: [say("Hello")] };
  const response = await byKey(service, { key, body });
  assertEquals([response.status, service.service.rateLimiterDeps.inFlight.addresses], [200, 0]);
  await response.body?.cancel();
});
