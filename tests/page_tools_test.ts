/** Tools of the visitor's page: POST /v1/chat/runs/:runId/calls/:n/output. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { storedText } from "./support/store.ts";
import {
  finish,
  openWaitingCalls,
  pageTool,
  refundAt,
  reply,
  untilPending,
} from "./support/waiting_calls.ts";
import { say } from "./support/widget_calls.ts";

const codeOf = ({ output }: { output: unknown }) =>
  (output as { error: { code: string } }).error.code;

Deno.test("page tool: the run waits for the page's output, which the model gets", async () => {
  await using fixture = await openWaitingCalls(() => [pageTool({ title: "Cart" })]);
  const { service, sessionToken, kv } = fixture;
  const { sse, runId, n, call } = await untilPending(await fixture.ask("cart"));
  assertEquals([call.waitsFor, call.title], ["page", "Cart"]);
  const send = (json: unknown) => reply(service, { runId, n, sessionToken }, json);
  assertEquals((await send({ output: { items: 2 } })).status, 204);
  await expectError(await send({ output: { items: 3 } }), "already_decided");
  const { result } = await finish(sse);
  assertEquals([result.output, result.call], [{ items: 2 }, n]);
  assert(sse.text.includes('{\\"items'));
  const answers = await Array.fromAsync(kv.list({ prefix: ["call_answers"] }));
  assertEquals(answers, []);
});

Deno.test("page tool: an output that does not match, or is too large, is rejected, and the call still waits", async () => {
  await using fixture = await openWaitingCalls(() => [
    pageTool({ output: { type: "object", properties: { items: { type: "integer" } } } }),
  ]);
  const { service, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("cart"));
  const send = (json: unknown) => reply(service, { runId, n, sessionToken }, json);
  await expectInvalid(await send({ output: { items: "two" } }), ["output"]);
  await expectInvalid(await send({ output: [1] }), ["output"]);
  await expectInvalid(await send({ error: "" }), ["error"]);
  for (const neither of [{ output: 1, error: "x" }, {}]) {
    await expectInvalid(await send(neither), [""]);
  }
  await expectError(await send({ output: { note: "x".repeat(262_144) } }), "payload_too_large");
  await expectError(await send({ approve: true }), "not_found");
  // As large as it may be, it takes six values of the store.
  const note = "n".repeat(262_144 - 11);
  assertEquals((await send({ output: { note } })).status, 204);
  const { result } = await finish(sse);
  assertEquals((result.output as { note: string }).note.length, note.length);
});

Deno.test("page tool: the output reaches the run's process from another one, once, sealed on the way", async () => {
  await using fixture = await openWaitingCalls(() => [pageTool({ output: undefined })]);
  await using other = await fixture.start();
  const { service, sessionToken, kv } = fixture;
  const { sse, runId, n } = await untilPending(await fixture.ask("cart"));
  const words = "xylophone";
  const answers = await Promise.all(
    [other, other, service].map((process) =>
      reply(process, { runId, n, sessionToken }, { output: words })
    ),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [204, 409, 409]);
  const { result } = await finish(sse);
  assertEquals(result.output, words);
  assertFalse((await storedText(kv, { content: undefined })).includes(words));
});

Deno.test("page tool: an error of the page, and a page that does not answer, are results", async () => {
  const clock = new ManualClock();
  await using fixture = await openWaitingCalls(() => [pageTool({ timeoutMs: 5_000 })], {
    runtime: clock.runtime,
  });
  const { service, sessionToken } = fixture;
  const failed = await untilPending(await fixture.ask("cart"));
  const { runId, n } = failed;
  const error = "not available on this page";
  assertEquals((await reply(service, { runId, n, sessionToken }, { error })).status, 204);
  assertEquals((await finish(failed.sse)).result.output, {
    error: { code: "tool_failed", message: error },
  });
  const silent = await untilPending(await fixture.ask("cart"));
  assertEquals(Date.parse(silent.call.expiresAt!) - clock.runtime.now(), 5_000);
  await clock.advance(5_000);
  const { result, done } = await finish(silent.sse);
  assertEquals([codeOf(result), done.finishReason], ["tool_unavailable", "stop"]);
});

Deno.test("page tool: the output of another run's call, or for a call of the service, is a 404", async () => {
  await using fixture = await openWaitingCalls((host) => [
    pageTool(),
    refundAt(host, { approval: "visitor" }),
  ]);
  const { service, server, sessionToken } = fixture;
  const [cart, refund] = [
    await untilPending(await fixture.ask("cart")),
    await untilPending(await fixture.ask("refund")),
  ];
  const output = { output: { items: 1 } };
  const to = (runId: string, n: number) => reply(service, { runId, n, sessionToken }, output);
  await expectError(await to(cart.runId, cart.n + 1), "not_found");
  await expectError(await to(refund.runId, refund.n), "not_found");
  assertEquals((await to(cart.runId, cart.n)).status, 204);
  const decision = { runId: refund.runId, n: refund.n, sessionToken };
  assertEquals((await reply(service, decision, { approve: false })).status, 204);
  await Promise.all([finish(cart.sse), finish(refund.sse)]);
  assertEquals(server.requests, []);
});

Deno.test("page tool: a message cannot bring tools, and formats without a page do not offer them", async () => {
  await using fixture = await openWaitingCalls(() => [pageTool()]);
  const { service, key, agent } = fixture;
  const messages = [say("use cart with {}")];
  await expectInvalid(await fixture.ask("cart", { tools: [pageTool()] }), ["tools"]);
  const answer = await service.fetch("/v1/openai/chat/completions", {
    ...{ method: "POST", key },
    json: { model: agent.id, messages },
  });
  assert((await answer.text()).includes("tool_unknown"));
});

Deno.test("page tool: a run that ends while it waits frees its slot and its reservation", async () => {
  const clock = new ManualClock();
  await using fixture = await openWaitingCalls(() => [pageTool({ timeoutMs: 60_000 })], {
    runtime: clock.runtime,
  });
  const { service, kv, agent, key } = fixture;
  const budget = { maxCostUsd: 1, maxSteps: 4, wallClockMs: 1_000 };
  const patched = await service.fetch(`/v1/agents/${agent.id}`, {
    ...{ method: "PATCH", key, json: { budget } },
  });
  assertEquals(patched.status, 200);
  const { sse, call } = await untilPending(await fixture.ask("cart"));
  // It never waits beyond the run.
  assertEquals(Date.parse(call.expiresAt!) - clock.runtime.now(), 750);
  await clock.advance(1_000);
  await finish(sse);
  const { live, leases } = await readStoredUsage(kv);
  assertEquals([live, leases], [[], []]);
});

Deno.test("agents: tools of a page and the fields of calls are strict", async () => {
  await using fixture = await openWaitingCalls(() => []);
  const { service, agent, key, server } = fixture;
  const save = (tool: object) =>
    service.fetch(`/v1/agents/${agent.id}`, { method: "PATCH", key, json: { tools: [tool] } });
  const saved = await (await save(pageTool({ title: " Cart " }))).json();
  assertEquals(saved.tools[0], pageTool({ title: "Cart" }));
  const cases: [object, string][] = [
    [pageTool({ approval: "visitor" }), "tools.0.approval"],
    [pageTool({ timeoutMs: 999 }), "tools.0.timeoutMs"],
    [pageTool({ url: "https://a.example" }), "tools.0.url"],
    [pageTool({ output: { type: "nothing" } }), "tools.0.output.type"],
    [refundAt(server.host, { approval: "always" }), "tools.0.approval"],
    [refundAt(server.host, { title: "x".repeat(65) }), "tools.0.title"],
    [refundAt(server.host, { title: "a\nb" }), "tools.0.title"],
    [refundAt(server.host, { idempotent: "yes" }), "tools.0.idempotent"],
    [refundAt(server.host, { parallel: true }), "tools.0.parallel"],
  ];
  for (const [tool, path] of cases) await expectInvalid(await save(tool), [path]);
  const parallel = refundAt(server.host, { parallel: true, idempotent: true });
  assertEquals((await save(parallel)).status, 200);
  for (const name of ["Idempotency-Key", "x-run-id"]) {
    const request = { method: "POST", url: `http://${server.host}/`, headers: { [name]: "{{q}}" } };
    await expectInvalid(await save(refundAt(server.host, { request })), [
      `tools.0.request.headers.${name}`,
    ]);
  }
});
