/** Several calls of one step that wait. */
import { assertEquals } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import {
  finish,
  pageTool,
  refundAt,
  reply,
  toolServer,
  until,
  untilPending,
} from "./support/waiting_calls.ts";
import { embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

/** A service whose model wants a refund, which the visitor must allow, and the page's cart in one step. */
async function open(clock: ManualClock) {
  const calls = [
    { id: "c1", name: "refund", args: ['{"q":"1"}'] },
    { id: "c2", name: "cart", args: ["{}"] },
  ];
  const mock = await MockProviders.start({
    otherwise: ({ body }) =>
      body.messages.at(-1).role === "tool" ? { say: [{ text: "Done." }] } : { say: [{ calls }] },
  });
  const kv = await openTestKv();
  const tool = toolServer();
  const env = { EGRESS_ALLOW: tool.host, VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk" };
  const service = await TestService.start({ kv, keepKv: true, env, runtime: clock.runtime });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const { agent, sessionToken } = await embed(service, {
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [refundAt(tool.host, { approval: "visitor" }), pageTool({ timeoutMs: 5_000 })],
    allowedDomains: [tool.host],
  });
  const ask = () => {
    const body = { messages: [say("Refund it")] };
    return untilPending(onPage(service, { agent, sessionToken, body }));
  };
  const resume = async (runId: string, after: number) => {
    const headers = { "x-service-session": sessionToken, origin: ORIGIN };
    const path = `/v1/chat/runs/${runId}/stream?after=${after}`;
    return await untilPending(service.fetch(path, { headers }));
  };
  const dispose = async () => {
    for (const one of [service, tool, mock]) await one[Symbol.asyncDispose]();
    kv.close();
  };
  return {
    ...{ service, kv, mock, tool, sessionToken, ask, resume },
    [Symbol.asyncDispose]: dispose,
  };
}

Deno.test("two calls in one step: each waits in turn, a resumed stream shows the one that waits, and silence ends only its own", async () => {
  const clock = new ManualClock();
  await using fixture = await open(clock);
  const { service, kv, mock, tool, sessionToken, ask, resume } = fixture;
  const first = await ask();
  const { runId, n } = first;
  const cart = n + 2;
  const early = await reply(service, { runId, n: cart, sessionToken }, { output: { items: 1 } });
  assertEquals([first.call.name, early.status], ["refund", 404]);
  await early.body?.cancel();
  assertEquals((await reply(service, { runId, n, sessionToken }, { approve: true })).status, 204);
  const second = await resume(runId, n);
  assertEquals([second.call.name, second.n], ["cart", cart]);
  const again = await reply(service, { runId, n, sessionToken }, { approve: true });
  assertEquals(again.status, 409);
  await again.body?.cancel();
  await clock.advance(5_000);
  await Promise.all([finish(first.sse), finish(second.sse)]);
  const results = toolMessages(mock.requests.at(-1)!.body.messages);
  assertEquals(results.map(({ tool_call_id }) => tool_call_id), ["c1", "c2"]);
  assertEquals(results[0]!.content.includes("done"), true);
  assertEquals(results[1]!.content.includes("tool_unavailable"), true);
  assertEquals(tool.requests.length, 1);
  await until(async () => (await readStoredUsage(kv)).live.length === 0 || undefined);
});

Deno.test("two calls in one step: after a silence that took the run's time, nobody is asked any more", async () => {
  const clock = new ManualClock();
  await using fixture = await open(clock);
  const { mock, ask } = fixture;
  const { sse } = await ask();
  await clock.advance(22_500);
  await finish(sse);
  assertEquals(sse.text.split('"pending":true').length - 1, 1);
  const [refund, cart] = toolMessages(mock.requests.at(-1)!.body.messages);
  assertEquals(refund!.content.includes("tool_not_approved_in_time"), true);
  assertEquals(cart!.content.includes("tool_unavailable"), true);
});

function toolMessages(messages: { role: string; tool_call_id: string; content: string }[]) {
  return messages.filter(({ role }) => role === "tool");
}
