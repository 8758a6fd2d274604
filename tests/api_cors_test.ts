import { assertEquals } from "@std/assert";
import { instantRuntime } from "./support/instant_runtime.ts";
import { methodsOfV1 } from "./support/public_routes.ts";
import { sendRawBody } from "./support/raw_calls.ts";
import { TestService } from "./support/service.ts";
import { chat, ORIGIN } from "./support/widget_calls.ts";

const EXPOSED = "x-request-id, x-run-id, x-plan-warning, retry-after, ratelimit, " +
  "ratelimit-policy, idempotency-replayed, dpop-nonce, x-vercel-ai-ui-message-stream";

Deno.test("OPTIONS /v1/chat/**: a preflight is 204 with exactly the contract's headers", async () => {
  await using service = await TestService.start();
  const answer = await preflight(service, "/v1/chat/stream");
  assertEquals([answer.status, await answer.text()], [204, ""]);
  assertEquals(corsOf(answer), {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers":
      "content-type, x-service-session, last-event-id, idempotency-key, dpop",
    "access-control-max-age": "7200",
    "access-control-expose-headers": EXPOSED,
  });
});

Deno.test("/v1/chat/**: every response, errors included, has the CORS headers", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const path = "/v1/chat/stream";
  const big = new Uint8Array(1_048_577).fill(0x20);
  const evil = { origin: "https://evil.example" };
  const answers: [number, Promise<Response>][] = [
    [200, chat(service, agent, { sessionToken, headers: { origin: ORIGIN } })],
    [400, chat(service, agent, { sessionToken, body: { messages: [] } })],
    [401, chat(service, agent, { sessionToken: "cs_nobody_ever_minted_this" })],
    [401, sendRawBody(service, { path, body: "{}" })],
    [403, chat(service, agent, { sessionToken, headers: evil })],
    [404, service.fetch("/v1/chat/nothing", { headers: evil })],
    [405, service.fetch(path, { headers: evil })],
    [413, sendRawBody(service, { path, body: big })],
    [415, sendRawBody(service, { path, body: "{}", type: "text/plain" })],
  ];
  for (const [status, answer] of answers) {
    const response = await answer;
    assertEquals(response.status, status, await response.text());
    const expected = {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": EXPOSED,
    };
    assertEquals(corsOf(response), expected);
  }
});

Deno.test("only /v1/chat/** and /v1/ag-ui/** send CORS headers, with or without a preflight", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const headers = { origin: ORIGIN };
  for (const [path] of methodsOfV1()) {
    if (/^\/v1\/(chat|ag-ui)\//.test(path)) continue;
    for (const answer of [preflight(service, path), service.fetch(path, { key, headers })]) {
      const response = await answer;
      await response.body?.cancel();
      assertEquals(corsOf(response), {});
    }
  }
});

function preflight(service: TestService, path: string): Promise<Response> {
  return service.fetch(path, {
    method: "OPTIONS",
    headers: {
      origin: ORIGIN,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, x-service-session",
    },
  });
}

function corsOf(response: Response): Record<string, string> {
  return Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith("access-control-")),
  );
}
