/** Revoking a credential cancels its runs: CONTRACT sections 4 and 6. */
import { assertEquals } from "@std/assert";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";

/** A service whose demo model stalls after its first word until the run is cancelled. */
function startStalling(): Promise<TestService> {
  return TestService.start({ runtime: { sleep: untilAborted } });
}

function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function chat(service: TestService, init: { key?: string; token?: string; agentId: string }) {
  const { key, token, agentId } = init;
  const messages = [{ role: "user", content: "Hello" }];
  return await service.fetch("/v1/chat/stream", {
    method: "POST",
    json: { agentId, messages, ...(token === undefined ? {} : { sessionToken: token }) },
    ...(key === undefined ? {} : { key }),
    headers: token === undefined ? {} : { "x-service-session": token, origin: SHOP },
  });
}

Deno.test("DELETE /v1/widget/session cancels the session's run and no other", async () => {
  await using service = await startStalling();
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const token = await service.mint(key, agent.id, SHOP);
  const stream = await chat(service, { token, agentId: agent.id });
  const other = await chat(service, { key, agentId: agent.id });
  const init = { method: "DELETE", key, json: { sessionToken: token } };
  assertEquals((await service.fetch("/v1/widget/session", init)).status, 204);
  const frames = await readFrames(stream);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  assertEquals(service.service.chat.active.length, 1);
  await other.body?.cancel();
});

Deno.test("revoking an API key cancels its runs", async () => {
  await using service = await startStalling();
  const key = await service.key();
  const agent = await service.agent(key);
  const stream = await chat(service, { key, agentId: agent.id });
  const tenant = await service.tenant();
  const [apiKey] = await service.service.apiKeys.list(tenant);
  await service.service.apiKeys.revoke(tenant, apiKey!.id);
  const frames = await readFrames(stream);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
});
