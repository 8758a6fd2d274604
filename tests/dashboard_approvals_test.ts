/** People approve tool calls in the inbox, and try agents whose calls wait in the playground. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { Dashboard, SETUP_TOKEN, visitors } from "./support/dashboard.ts";
import { expectError } from "./support/expect_response.ts";
import { SseText } from "./support/sse_text.ts";
import {
  finish,
  openWaitingCalls,
  pageTool,
  refundAt,
  untilPending,
  type WaitingCalls,
} from "./support/waiting_calls.ts";
import { say } from "./support/widget_calls.ts";

const OF_PERSON = (host: string) => [refundAt(host, { approval: "person" })];

function decide(
  { service }: WaitingCalls,
  { cookie }: { cookie: string },
  { runId, n, approve, headers }: {
    runId: string;
    n: number;
    approve: boolean;
    headers?: Record<string, string>;
  },
): Promise<Response> {
  return service.fetch(`/conversations/runs/${runId}/calls/${n}`, {
    ...{ method: "POST", json: { approve }, headers: { cookie, ...headers } },
  });
}

Deno.test("/conversations: a call that waits is in the queue, and a person's decision is audited", async () => {
  await using fixture = await openWaitingCalls(OF_PERSON, { SETUP_TOKEN });
  const { service, server } = fixture;
  const owner = await Dashboard.setUp(service);
  const list = async () => await (await owner.get("/conversations")).text();
  assertFalse((await list()).includes("Waits for approval"));
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  assertStringIncludes(await list(), "Waits for approval");
  const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const forged = await decide(fixture, owner, { runId, n, approve: true, headers: evil });
  assertEquals(forged.status, 403);
  await expectError(await decide(fixture, owner, { runId, n: n + 1, approve: true }), "not_found");
  assertEquals(server.requests, []);
  assertEquals((await decide(fixture, owner, { runId, n, approve: true })).status, 204);
  const { result } = await finish(sse);
  assertEquals(result.output, { status: 200, body: { done: true } });
  assertFalse((await list()).includes("Waits for approval"));
  const audit = await (await owner.get("/audit")).text();
  assertStringIncludes(audit, "Approved a tool call in conversation");
  assertFalse(audit.includes("A-1042"));
  const late = await decide(fixture, owner, { runId, n, approve: true });
  assert([404, 409].includes(late.status));
});

Deno.test("/conversations: viewers and other tenants decide nothing, and a person nothing of a visitor", async () => {
  await using fixture = await openWaitingCalls((host) => [
    ...OF_PERSON(host),
    refundAt(host, { name: "ask", approval: "visitor" }),
  ], { SETUP_TOKEN });
  const { server, sessionToken, service } = fixture;
  const all = await visitors(service);
  const { sse, runId, n } = await untilPending(await fixture.ask("refund"));
  for (const [visitor, dashboard] of all) {
    if (visitor === "owner" || visitor === "admin" || visitor === "operator") continue;
    const { status } = await decide(fixture, dashboard, { runId, n, approve: true });
    assert([303, 403, 404].includes(status), `${visitor}: ${status}`);
  }
  const asked = await untilPending(await fixture.ask("ask"));
  const owner = all.get("owner")!;
  const own = await decide(fixture, owner, { runId: asked.runId, n: asked.n, approve: true });
  await expectError(own, "not_found");
  assertEquals(server.requests, []);
  assertEquals((await decide(fixture, owner, { runId, n, approve: false })).status, 204);
  await finish(sse);
  await service.fetch(`/v1/chat/runs/${asked.runId}/cancel`, {
    ...{ method: "POST", headers: { "x-service-session": sessionToken } },
  });
  await finish(asked.sse);
});

Deno.test("/agents/:id/try: approvals and page tools of a draft are answered in the playground", async () => {
  await using fixture = await openWaitingCalls(
    (host) => [refundAt(host, { approval: "visitor" }), pageTool()],
    { SETUP_TOKEN },
  );
  const { service, agent, server } = fixture;
  const owner = await Dashboard.setUp(service);
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    service.fetch(`/agents/${agent.id}/${path}`, {
      ...{ method: "POST", json, headers: { cookie: owner.cookie, ...headers } },
    });
  const form = toFormValues(agent);
  for (
    const [tool, reply] of [
      ["refund", { approve: true }],
      ["cart", { output: { items: 3 } }],
    ] as const
  ) {
    const stream = await post("try", { messages: [say(`use ${tool} with {"q":"x"}`)], form });
    const { sse, runId, n } = await untilPending(stream);
    await expectError(await post("try/call", { runId, n: n + 1, reply }), "not_found");
    const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    assertEquals((await post("try/call", { runId, n, reply }, evil)).status, 403);
    assertEquals((await post("try/call", { runId, n, reply })).status, 204);
    await expectError(await post("try/call", { runId, n, reply }), "already_decided");
    await finish(sse);
  }
  assertEquals(server.requests.length, 1);
  // A run of a page is none of the playground.
  const { sse, runId, n } = await untilPending(await fixture.ask("cart"));
  await expectError(await post("try/call", { runId, n, reply: { error: "x" } }), "not_found");
  await (sse as SseText)[Symbol.asyncDispose]();
});
