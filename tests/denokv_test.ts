/** Tests on a real `denokv` server, which production processes share: `deno task test:denokv`. */
import { assert, assertEquals } from "@std/assert";
import { SUGGESTED_VISITOR_LIMITS } from "@/lib/schemas/limits.ts";
import { openTestKv } from "./support/open_kv.ts";
import { cutAndCompare } from "./support/cut_streams.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { expectJson } from "./support/expect_response.ts";
import { floodSession } from "./support/flood_session.ts";
import { DENOKV, limitedKv } from "./support/limited_kv.ts";
import { TestService } from "./support/service.ts";
import { chat, ORIGIN } from "./support/widget_calls.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";

const bin = DENOKV_BIN;

if (bin === undefined) {
  console.warn(
    "SKIPPED: tests on a real denokv server (slow, needs the denokv binary). Run them before each " +
      "release: deno task test:denokv",
  );
}

Deno.test({
  name:
    "denokv: a client disconnected at 200 points, reconnecting to any process, receives the same frames",
  ignore: bin === undefined,
  async fn() {
    await using server = await DenokvServer.start(bin!);
    using first = await openTestKv(server.url);
    using second = await openTestKv(server.url);
    await cutAndCompare(3, [first, second]);
  },
});

for (const processes of [1, 2, 3]) {
  Deno.test({
    name:
      `denokv: 200 concurrent messages through ${processes} processes give 50 answers and no 503`,
    ignore: bin === undefined,
    async fn() {
      await using server = await DenokvServer.start(bin!);
      using handles = new DisposableStack();
      const stores: Deno.Kv[] = [];
      for (let n = 0; n < processes; n++) stores.push(handles.use(await openTestKv(server.url)));
      const outcomes = await floodSession(200, stores);
      assertEquals(outcomes, { done: 50, "429 rate_limit_exceeded": 150 });
    },
  });
}

/** The status of a named visitor's messages, under all limits that the dashboard suggests. */
async function sendAsNamedVisitor(kv: Deno.Kv): Promise<number[]> {
  await using service = await TestService.start({ kv, keepKv: true });
  const { tenants } = service.service;
  await tenants.changePlan(await service.tenant(), (plan) => {
    return { ...plan, limits: { ...SUGGESTED_VISITOR_LIMITS } };
  });
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const minted = await service.fetch("/v1/widget/session", {
    ...{ method: "POST", key, headers: { origin: ORIGIN } },
    json: { agentId: agent.id, visitor: { id: "ada", limits: { costUsd: 1, per: "day" } } },
  });
  const { sessionToken } = await expectJson(minted, 201);
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++) {
    const headers = { origin: ORIGIN, "idempotency-key": `key-of-message-${n}` };
    const answer = await chat(service, agent, { sessionToken, headers });
    statuses.push(answer.status);
    await answer.text();
  }
  return statuses;
}

Deno.test("a message that relies on more keys than a denokv server checks in one commit is answered", async () => {
  using kv = await openTestKv();
  const limited = limitedKv(kv, DENOKV);
  assertEquals(await sendAsNamedVisitor(limited.kv), [200, 200]);
  assert(limited.sent.some((checks) => checks > DENOKV.checks), "it needs more");
  assertEquals(limited.rejected, 1);
});

Deno.test({
  name: "denokv: a message that relies on more keys than one commit checks is answered",
  ignore: bin === undefined,
  async fn() {
    await using server = await DenokvServer.start(bin!);
    using kv = await openTestKv(server.url);
    assertEquals(await sendAsNamedVisitor(kv), [200, 200]);
  },
});
