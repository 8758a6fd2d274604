/** A retried message is one run, charged once: CONTRACT section 4. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";
const KEY = "a-key-of-at-least-16";
const messages = [{ role: "user", content: "Hello" }];

/** A service whose demo model stalls after its first word. */
function startSilent(): Promise<TestService> {
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  return TestService.start({ runtime: { sleep } });
}

interface Send {
  key?: string;
  token?: string;
  idempotencyKey?: string;
  body?: Record<string, unknown>;
}

function send(service: TestService, agentId: string, options: Send): Promise<Response> {
  const { key, token, idempotencyKey = KEY, body } = options;
  const session: Record<string, string> = token === undefined
    ? {}
    : { "x-service-session": token, origin: SHOP };
  const sessionToken = token === undefined ? {} : { sessionToken: token };
  return service.fetch("/v1/chat/stream", {
    method: "POST",
    ...(key === undefined ? {} : { key }),
    headers: { ...session, "idempotency-key": idempotencyKey },
    json: { agentId, messages, ...sessionToken, ...body },
  });
}

Deno.test("POST /v1/chat/stream: the same key and body follow the active run", async () => {
  await using service = await startSilent();
  const key = await service.key();
  const agent = await service.agent(key);
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => {
      return send(service, agent.id, { key, body: { requestId: `attempt-${n}-of-it` } });
    }),
  );
  assertEquals(new Set(all.map((one) => one.headers.get("x-run-id"))).size, 1);
  const replayed = all.filter((one) => one.headers.get("idempotency-replayed") === "true");
  assertEquals(replayed.length, 9);
  const { tenant, startedBy } = service.service.chat.active[0]!;
  await service.service.chat.cancelRunsOf(tenant, startedBy);
  const texts = await Promise.all(all.map(async (one) => JSON.stringify(await readFrames(one))));
  assertEquals(new Set(texts).size, 1);
});

Deno.test("POST /v1/chat/stream: the same key with another body is 422", async () => {
  await using service = await startSilent();
  const key = await service.key();
  const agent = await service.agent(key);
  const first = await send(service, agent.id, { key });
  const other = { messages: [{ role: "user", content: "Something else" }] };
  const rejected = await send(service, agent.id, { key, body: other });
  await expectError(rejected, "idempotency_key_reused");
  await first.body?.cancel();
});

Deno.test("POST /v1/chat/stream: a renewed token replays the run, another conversation is rejected", async () => {
  await using service = await startSilent();
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const [before, after] = [
    await service.mint(key, agent.id, SHOP),
    await service.mint(key, agent.id, SHOP),
  ];
  const body = { conversationId: crypto.randomUUID() };
  const first = await send(service, agent.id, { token: before, body });
  const again = await send(service, agent.id, { token: after, body });
  assertEquals(again.headers.get("x-run-id"), first.headers.get("x-run-id"));
  const elsewhere = await send(service, agent.id, { token: after });
  assertNotEquals(elsewhere.headers.get("x-run-id"), first.headers.get("x-run-id"));
  for (const one of [first, again, elsewhere]) await one.body?.cancel();
});

Deno.test("POST /v1/chat/stream: a session's idempotency key has at least 16 characters", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const token = await service.mint(key, agent.id, SHOP);
  const short = await send(service, agent.id, { token, idempotencyKey: "too-short" });
  await expectInvalid(short, ["Idempotency-Key"]);
});
