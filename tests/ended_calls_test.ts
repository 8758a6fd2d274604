/** What ends a run while one of its tool calls waits, and what is left of the call. */
import { assert, assertEquals } from "@std/assert";
import { ManualClock } from "./support/manual_clock.ts";
import { expectJson } from "./support/expect_response.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { storedKeys } from "./support/store.ts";
import {
  finish,
  openWaitingCalls,
  pageTool,
  refundAt,
  reply,
  until,
  untilPending,
  type WaitingCalls,
} from "./support/waiting_calls.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const TOOLS = (host: string) => [refundAt(host, { approval: "visitor" }), pageTool()];

/** A session of the page for a visitor. */
async function mintFor({ service, agent, key }: WaitingCalls, id: string): Promise<string> {
  const minted = await service.fetch("/v1/widget/session", {
    ...{ method: "POST", key, headers: { origin: ORIGIN } },
    json: { agentId: agent.id, visitor: { id } },
  });
  return (await expectJson(minted, 201)).sessionToken;
}

/** Keys of the store that name a run. */
async function keysOf({ kv }: WaitingCalls, runId: string): Promise<string[]> {
  return (await storedKeys(kv)).filter((key) => key.includes(runId));
}

async function assertNoSlot({ kv }: WaitingCalls): Promise<void> {
  const { live, leases } = await readStoredUsage(kv);
  assertEquals([live, leases], [[], []]);
}

/** A late answer, of the page's session or with a key, has no effect. */
async function assertLate(
  { service, server }: WaitingCalls,
  call: { runId: string; n: number; sessionToken?: string; key?: string },
): Promise<void> {
  for (const json of [{ approve: true }, { output: { items: 1 } }]) {
    const { status, body } = await reply(service, call, json);
    await body?.cancel();
    assert([401, 404, 409].includes(status), `${status}`);
  }
  assertEquals(server.requests, []);
}

Deno.test("visitor erased: calls that wait end at once, and nothing of them is stored", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using other = await fixture.start();
  const { service, agent, key } = fixture;
  const sessionToken = await mintFor(fixture, "ada");
  const ask = (name: string) =>
    untilPending(
      onPage(service, { agent, sessionToken, body: { messages: [say(`use ${name} with {}`)] } }),
    );
  const asked = [await ask("refund"), await ask("cart")];
  const writing = await service.key(["conversations:write"]);
  const erase = async () => {
    const response = await other.fetch("/v1/visitors/ada", { method: "DELETE", key: writing });
    assertEquals(response.status, 202);
    return (await response.json()).state === "done" || undefined;
  };
  await erase();
  for (const { sse } of asked) assertEquals((await finish(sse)).done.finishReason, "cancelled");
  await until(erase);
  for (const { runId, n } of asked) {
    await assertLate(fixture, { runId, n, sessionToken });
    await assertLate(fixture, { runId, n, key });
    assertEquals(await keysOf(fixture, runId), []);
  }
  await assertNoSlot(fixture);
});

Deno.test("session revoked: its call that waits ends at once, at whichever process, and no answer acts", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using other = await fixture.start();
  const { sessionToken, key } = fixture;
  const asked = [
    await untilPending(fixture.ask("refund")),
    await untilPending(fixture.ask("cart")),
  ];
  const init = { method: "DELETE", key, json: { sessionToken } };
  assertEquals((await other.fetch("/v1/widget/session", init)).status, 204);
  for (const { sse, runId, n } of asked) {
    assertEquals((await finish(sse)).done.finishReason, "cancelled");
    await assertLate(fixture, { runId, n, sessionToken });
    await assertLate(fixture, { runId, n, key });
  }
  await assertNoSlot(fixture);
});

Deno.test("API key revoked: its call that waits ends at once, and no answer acts", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using other = await fixture.start();
  const { service, key } = fixture;
  const { sse, runId, n } = await untilPending(fixture.askByKey("refund"));
  const tenant = await service.tenant();
  const [apiKey] = await other.service.apiKeys.list(tenant);
  await other.service.apiKeys.revoke(tenant, apiKey!.id);
  assertEquals((await finish(sse)).done.finishReason, "cancelled");
  await assertLate(fixture, { runId, n, key });
  await assertLate(fixture, { runId, n, key: await service.key() });
  await assertNoSlot(fixture);
});

Deno.test("drain: a call that waits ends with the process, and another one shows its result", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using other = await fixture.start();
  const { service, key, server } = fixture;
  const { sse, runId, n } = await untilPending(fixture.ask("refund"));
  await service.service.chat.drain(0);
  assertEquals((await finish(sse)).done.finishReason, "error");
  const response = await other.fetch(`/v1/chat/runs/${runId}/stream?after=${n}`, { key });
  const text = await response.text();
  assert(text.includes(`"call":${n}`) && text.includes('"done"'), text);
  const late = await reply(other, { runId, n, key }, { approve: true });
  await late.body?.cancel();
  assert([404, 409].includes(late.status), `${late.status}`);
  assertEquals(server.requests, []);
  await assertNoSlot(fixture);
});

Deno.test("drain: an approval within the grace period still counts, at another process too", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  await using other = await fixture.start();
  const { service, key, server } = fixture;
  const { sse, runId, n } = await untilPending(fixture.ask("refund"));
  const drained = service.service.chat.drain(60_000);
  assertEquals((await reply(other, { runId, n, key }, { approve: true })).status, 204);
  assertEquals((await finish(sse)).done.finishReason, "stop");
  await drained;
  assertEquals(server.requests.length, 1);
  await assertNoSlot(fixture);
});

Deno.test("agent deleted: a call that waits does not act any more, and is silent in the end", async () => {
  const clock = new ManualClock();
  await using fixture = await openWaitingCalls(TOOLS, { runtime: clock.runtime });
  const { service, agent, key, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(fixture.ask("refund"));
  const deleted = await service.fetch(`/v1/agents/${agent.id}`, { method: "DELETE", key });
  assertEquals(deleted.status, 204);
  await assertLate(fixture, { runId, n, sessionToken });
  await assertLate(fixture, { runId, n, key });
  await clock.advance(22_500);
  const { result } = await finish(sse);
  const { error } = result.output as { error: { code: string } };
  assertEquals(error.code, "tool_not_approved_in_time");
  assertEquals(fixture.server.requests, []);
  await assertNoSlot(fixture);
});

Deno.test("plan changed: a call that waits still ends as it was begun", async () => {
  await using fixture = await openWaitingCalls(TOOLS);
  const { service, server, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(fixture.ask("refund"));
  const tenant = await service.tenant();
  const { tenants } = service.service;
  const plan = await tenants.plan(tenant);
  const limits = { ...plan.limits, streams: 1 };
  await tenants.setPlan(tenant, { ...plan, limits, models: [], conversationDays: 0 });
  await reply(service, { runId, n, sessionToken }, { approve: true });
  assertEquals((await finish(sse)).done.finishReason, "stop");
  assertEquals(server.requests.length, 1);
  await assertNoSlot(fixture);
});
