/** Tool calls that wait for the visitor's approval: POST /v1/chat/runs/:runId/calls/:n/decision. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { killableKv } from "./support/killable_kv.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { SseText } from "./support/sse_text.ts";
import { TestService } from "./support/service.ts";
import { storedKeys } from "./support/store.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import {
  CALL,
  finish,
  openWaitingCalls,
  pageTool,
  refundAt,
  reply,
  until,
  untilPending,
} from "./support/waiting_calls.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const APPROVED = (
  host: string,
) => [refundAt(host, { approval: "visitor", title: "Refund an order" })];

Deno.test("approval: the call waits with its arguments, and is made once approved", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  const { service, server, sessionToken } = fixture;
  const { sse, runId, n, call } = await untilPending(await fixture.ask("refund"));
  assertEquals([call.name, call.title, call.args], ["refund", "Refund an order", CALL]);
  assertEquals([call.pending, call.waitsFor], [true, "visitor"]);
  assert(Date.parse(call.expiresAt!) > Date.now());
  assertEquals(server.requests, []);
  const answer = await reply(service, { runId, n, sessionToken }, { approve: true });
  assertEquals([answer.status, await answer.text()], [204, ""]);
  const { result, done } = await finish(sse);
  assertEquals(result, {
    ...{ type: "tool_result", name: "refund", call: n },
    output: { status: 200, body: { done: true } },
  });
  assertEquals([server.requests.length, done.finishReason], [1, "stop"]);
});

Deno.test("approval: a declined call is not made, the model sees it, and the second decision is a 409", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  const { service, server, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  const decide = (approve: boolean) => reply(service, { runId, n, sessionToken }, { approve });
  const answers = await Promise.all([decide(false), decide(false), decide(false)]);
  assertEquals(answers.map(({ status }) => status).sort(), [204, 409, 409]);
  const { result } = await finish(sse);
  assertEquals((result.output as { error: { code: string } }).error.code, "tool_refused");
  await expectError(await decide(true), "already_decided");
  assertEquals(server.requests, []);
});

Deno.test("approval: silence declines the call, which the model sees in time to answer", async () => {
  const clock = new ManualClock();
  await using fixture = await openWaitingCalls(APPROVED, { runtime: clock.runtime });
  const { service, server, sessionToken } = fixture;
  const { sse, runId, n, call } = await untilPending(await fixture.ask("refund"));
  // A quarter of the agent's 30 seconds is left for the answer.
  assertEquals(Date.parse(call.expiresAt!) - clock.runtime.now(), 22_500);
  await clock.advance(22_500);
  const { result, done } = await finish(sse);
  const { error } = result.output as { error: { code: string } };
  assertEquals([error.code, done.finishReason], ["tool_not_approved_in_time", "stop"]);
  await expectError(
    await reply(service, { runId, n, sessionToken }, { approve: true }),
    "already_decided",
  );
  assertEquals(server.requests, []);
});

Deno.test("approval: a decision at another process reaches the run's, and so does only one of two", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  await using other = await fixture.start();
  const { service, server, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  const answers = await Promise.all(
    [other, service, other, service].map((process) =>
      reply(process, { runId, n, sessionToken }, { approve: true })
    ),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [204, 409, 409, 409]);
  const { result } = await finish(sse);
  assertEquals(result.output, { status: 200, body: { done: true } });
  assertEquals(server.requests.length, 1);
});

Deno.test("approval: resume shows the call that waits again, and stop ends the wait at once", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  const { service, server, sessionToken, kv } = fixture;
  const first = await untilPending(await fixture.ask("refund"));
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  const path = `/v1/chat/runs/${first.runId}`;
  const again = await untilPending(await service.fetch(`${path}/stream`, { headers }));
  assertEquals([again.n, again.call], [first.n, first.call]);
  const stopped = await service.fetch(`${path}/cancel`, { method: "POST", headers });
  assertEquals(stopped.status, 202);
  const { result, done } = await finish(first.sse);
  assertEquals([result.call, done.finishReason], [first.n, "cancelled"]);
  await finish(again.sse);
  const { live, leases } = await readStoredUsage(kv);
  assertEquals([live, leases], [[], []]);
  const { runId, n } = first;
  await expectError(
    await reply(service, { runId, n, sessionToken }, { approve: true }),
    "already_decided",
  );
  assertEquals(server.requests, []);
});

Deno.test("approval: if the process dies, a call that nobody approved is known not to be made, and its slot is freed", async () => {
  let ahead = 0;
  const runtime = { now: () => Date.now() + ahead };
  await using fixture = await openWaitingCalls((host) => [...APPROVED(host), pageTool()], {
    runtime,
  });
  await using other = await fixture.start();
  const { kv, agent, key, sessionToken, server } = fixture;
  const store = killableKv(kv);
  const dying = await TestService.start({ kv: store.kv, keepKv: true, runtime });
  const ask = (name: string) =>
    untilPending(
      onPage(dying, { agent, sessionToken, body: { messages: [say(`use ${name} with {}`)] } }),
    );
  const [refund, declined, cart] = [await ask("refund"), await ask("refund"), await ask("cart")];
  // Clients see a call a moment before the log that other processes read has it.
  for (const { runId, n } of [refund, declined, cart]) {
    const log = await other.fetch(`/v1/chat/runs/${runId}/stream?after=${n - 1}`, { key });
    await using stored = new SseText(log);
    await stored.until('"pending":true');
  }
  store.killAfter(0);
  await dying.crash();
  const last = await reply(other, { ...declined, sessionToken }, { approve: false });
  assertEquals(last.status, 204);
  await sweepOrphaned(other.service.orphanedRuns, (ms) => void (ahead += ms));
  for (
    const [{ runId, n }, code] of [
      [refund, "tool_not_approved_in_time"],
      [declined, "tool_not_approved_in_time"],
      [cart, "tool_outcome_unknown"],
    ] as const
  ) {
    const rest = await other.fetch(`/v1/chat/runs/${runId}/stream?after=${n}`, { key });
    const frames = (await readFrames(rest)).map(({ frame }) => frame);
    assertEquals(frames.map(({ type }) => type), ["tool_result", "error", "done"]);
    assertStringIncludes(JSON.stringify(frames[0]), code);
    assertEquals(frames[0], { ...frames[0]!, call: n } as never);
    for (const json of [{ approve: true }, { output: { items: 1 } }]) {
      const { status } = await reply(other, { runId, n, key }, json);
      assert(status === 404 || status === 409);
    }
  }
  const { live, leases } = await readStoredUsage(kv);
  assertEquals([live, leases, server.requests], [[], [], []]);
  await dying.service.close().catch(() => {});
});

Deno.test("approval: deleting the conversation leaves nothing of a call that waited", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  const { service, kv, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  await (await reply(service, { runId, n, sessionToken }, { approve: true })).body?.cancel();
  await finish(sse);
  const { conversationId } = sse.frame("start");
  const key = await service.key(["conversations:write"]);
  await until(async () => {
    const path = `/v1/conversations/${conversationId}`;
    const { status, body } = await service.fetch(path, { method: "DELETE", key });
    await body?.cancel();
    return status === 204 || undefined;
  });
  assertEquals((await storedKeys(kv)).filter((one) => /waiting_calls|call_answers/.test(one)), []);
});

Deno.test("approval: invalid arguments ask nobody", async () => {
  const parameters = { type: "object", properties: { q: { type: "integer" } } };
  await using fixture = await openWaitingCalls((host) => [
    refundAt(host, { approval: "visitor", parameters }),
  ]);
  const response = await fixture.ask("refund");
  const text = await response.text();
  assert(text.includes("tool_invalid_arguments") && !text.includes("pending"));
});

Deno.test("approval: a key decides about a backend's run, and a person's call is no session's", async () => {
  await using fixture = await openWaitingCalls((host) => [refundAt(host, { approval: "person" })]);
  const { service, server, sessionToken, key } = fixture;
  const { sse, runId, n, call } = await untilPending(await fixture.ask("refund"));
  assertEquals(call.waitsFor, "person");
  await expectError(
    await reply(service, { runId, n, sessionToken }, { approve: true }),
    "insufficient_scope",
  );
  assertEquals((await reply(service, { runId, n, key }, { approve: true })).status, 204);
  await finish(sse);
  const own = await untilPending(await fixture.askByKey("refund"));
  const decided = await reply(service, { runId: own.runId, n: own.n, key }, { approve: true });
  assertEquals(decided.status, 204);
  await finish(own.sse);
  assertEquals(server.requests.length, 2);
});

Deno.test("approval: forged, foreign and malformed decisions change nothing", async () => {
  await using fixture = await openWaitingCalls(APPROVED);
  const { service, server, sessionToken, key, agent } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  const other = await service.mint(key, agent.id, ORIGIN);
  const elsewhere = await service.service.tenants.create("Elsewhere");
  const foreign = await service.key(["agents:write"], elsewhere.id);
  const decide = (change: object, json: unknown = { approve: true }) =>
    reply(service, { runId, n, sessionToken, ...change } as never, json);
  await expectError(await decide({ sessionToken: undefined, key: foreign }), "not_found");
  await expectError(await decide({ origin: "https://evil.example" }), "origin_not_allowed");
  await expectError(await decide({ sessionToken: `${sessionToken}x` }), "session_token_invalid");
  await expectError(await decide({ runId: crypto.randomUUID() }), "not_found");
  for (const number of [0, -1, n - 1, n + 1, "1.5", "x", "9".repeat(20)]) {
    await expectError(await decide({ n: number }), "not_found");
  }
  // An output is no approval.
  await expectError(await decide({}, { output: { approve: true } }), "not_found");
  await expectInvalid(await decide({}, { approve: "yes" }), ["approve"]);
  await expectInvalid(await decide({}, { approve: true, args: { q: "B" } }), ["args"]);
  const readOnly = await service.key(["conversations:read"]);
  await expectError(await decide({ sessionToken: undefined, key: readOnly }), "insufficient_scope");
  assertEquals(server.requests, []);
  // Another tab of the same page may decide.
  assertEquals((await decide({ sessionToken: other })).status, 204);
  await finish(sse);
  assertEquals(server.requests.map(({ body }) => body), ['{"q":"A-1042"}']);
});

Deno.test("approval: in a chat that cannot show it the call is declined at once, but a person may decide", async () => {
  await using fixture = await openWaitingCalls((host) => [
    refundAt(host, { approval: "visitor" }),
    refundAt(host, { name: "escalate", approval: "person" }),
  ]);
  const { service, server, key, agent } = fixture;
  const complete = (name: string) =>
    service.fetch("/v1/openai/responses", {
      ...{ method: "POST", key },
      json: { model: agent.id, input: `use ${name} with ${JSON.stringify(CALL)}` },
    });
  const text = await (await complete("refund")).text();
  assert(text.includes("tool_refused"), text);
  const answering = complete("escalate");
  const [waiting] = await untilWaiting(service);
  assertEquals(waiting!.waitsFor, "person");
  const { runId, n } = waiting!;
  assertEquals((await reply(service, { runId, n, key }, { approve: true })).status, 204);
  assert((await (await answering).text()).includes("done"));
  assertEquals(server.requests.length, 1);
});

/** The calls that wait in the default tenant, once there is one. */
async function untilWaiting(service: Parameters<typeof reply>[0]) {
  const tenant = await service.tenant();
  return await until(async () => {
    const found = await service.service.runs.calls.waiting(tenant);
    return found.length > 0 ? found : undefined;
  });
}
