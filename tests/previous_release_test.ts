/**
 * A deploy has two releases on one store. The code of the previous release and this code read what the
 * other has written, chat in one conversation, and count as one; see docs/debts.md for what cannot hold.
 */
import { assert, assertEquals } from "@std/assert";
import { packStamps } from "@/lib/billing/packed_stamps.ts";
import type { StoredWindows } from "@/lib/billing/request_windows.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { AuditVerifier } from "@/lib/services/audit/audit_verifier.ts";
import { AuditChainStore } from "@/lib/store/audit/audit_chain_store.ts";
import { queueUnchained } from "@/lib/store/audit/audit_scan.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { expectJson } from "./support/expect_response.ts";
import { type Answer, nextAddress } from "./support/fleet/answer.ts";
import { FleetTenant, MESSAGE_COST } from "./support/fleet/fleet_tenant.ts";
import { RollingFleet, type RollingProcess } from "./support/fleet/rolling_fleet.ts";
import { prepareBuild } from "./support/prepare_build.ts";
import { buildPreviousRelease, hasPreviousRelease } from "./support/previous_release.ts";
import { agentBody } from "./support/service.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";
import { readStoredUsage } from "./support/stored_usage.ts";

const isInHistory = await hasPreviousRelease();
if (!isInHistory) {
  console.log("the previous release is not tested: its commit is missing (git fetch --unshallow)");
}

/** Requests with a tenant's keys. */
class Client {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async call(
    { url }: RollingProcess,
    path: string,
    { json, method = json === undefined ? "GET" : "POST" }: { json?: unknown; method?: string } =
      {},
  ) {
    const headers = {
      ...{ authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      "x-forwarded-for": nextAddress(),
    };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await fetch(url + path, { method, headers, ...body });
    return await expectJson(response, method === "POST" ? 201 : 200);
  }
}

/** What an answer's stream says. */
function conversationOf({ frames }: Answer): string {
  const start = frames[0]!.data;
  assert(start.type === "start");
  return start.conversationId;
}

async function expectAnswer(answer: Answer): Promise<Answer> {
  assertEquals(answer.outcome, "200");
  assertEquals(await answer.ended, "done");
  const last = answer.frames.at(-1)!.data;
  assert(last.type === "done" && last.finishReason === "stop");
  return answer;
}

/** Each process writes agents, knowledge and messages, and both read the same. */
async function checkRecords(fleet: RollingFleet, both: [RollingProcess, RollingProcess]) {
  const tenant = await FleetTenant.create(fleet);
  const scopes = [
    "agents:write",
    "knowledge:write",
    "conversations:write",
    "billing:read",
  ] as const;
  const { secret } = await fleet.operator.apiKeys.create(tenant.id, {
    name: "all",
    scopes: [...scopes],
  });
  const client = new Client(secret);
  let conversationId: string | undefined;
  let messages = 0;
  for (
    const [writer, reader] of [both, [...both].reverse()] as [RollingProcess, RollingProcess][]
  ) {
    const agent = await client.call(writer, "/v1/agents", {
      json: { ...agentBody(), name: "Shop" },
    });
    const saved = await client.call(reader, `/v1/agents/${agent.id}`, {
      method: "PATCH",
      json: { name: "Renamed" },
    });
    assertEquals([saved.version, saved.name], [2, "Renamed"]);
    const base = await client.call(writer, "/v1/knowledge-bases", { json: { name: "Terms" } });
    const content = "# Returns\n\nYou may return it within 30 days.";
    const document = await client.call(writer, `/v1/knowledge-bases/${base.id}/documents`, {
      json: { title: "Terms", content },
    });
    const answer = await expectAnswer(await tenant.send(writer, { conversationId }));
    conversationId ??= conversationOf(answer);
    assertEquals(conversationOf(answer), conversationId);
    messages++;
    const paths = [
      `/v1/agents/${agent.id}`,
      "/v1/agents",
      // First the document, which is compared once it is ready.
      `/v1/knowledge-bases/${base.id}/documents/${document.id}`,
      `/v1/knowledge-bases/${base.id}`,
      `/v1/conversations/${conversationId}`,
    ];
    for (const path of paths) await expectSame(path, { client, both });
    const { runs } = await client.call(reader, `/v1/conversations/${conversationId}`);
    assertEquals(runs.length, messages);
    const replayed = await tenant.follow(reader, answer.runId);
    await replayed.ended;
    assertEquals(replayed.frames, answer.frames);
  }
  for (const process of both) assertEquals(await tenant.cost(process), messages * MESSAGE_COST);
}

/** Fields that only one of the two releases knows are not compared. */
async function expectSame(
  path: string,
  { client, both }: { client: Client; both: [RollingProcess, RollingProcess] },
): Promise<void> {
  let answers: unknown[];
  do answers = await Promise.all(both.map((process) => client.call(process, path))); while (
    answers.some(isProcessing)
  );
  assertEquals(common(answers[0], answers[1]), common(answers[1], answers[0]), path);
}

function isProcessing(answer: unknown): boolean {
  return (answer as { state?: string }).state === "processing";
}

/** `one` with the fields that `other` has too. */
function common(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.map((item, n) => common(item, other[n]));
  }
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") {
    return one;
  }
  const keys = Object.keys(one).filter((key) => key in other);
  assert(keys.length > 0, "the answers have nothing in common");
  const pick = (of: object, key: string) => (of as Record<string, unknown>)[key];
  return Object.fromEntries(keys.map((key) => [key, common(pick(one, key), pick(other, key))]));
}

/** A run of one release is followed and stopped through the other. */
async function checkRuns(fleet: RollingFleet, both: [RollingProcess, RollingProcess]) {
  const tenant = await FleetTenant.create(fleet);
  for (const [owner, other] of [both, [...both].reverse()] as [RollingProcess, RollingProcess][]) {
    const gate = fleet.vendor.gate();
    const run = await tenant.send(owner, { text: gate.message });
    const follower = await tenant.follow(other, run.runId);
    assertEquals(follower.outcome, "200");
    assertEquals(await tenant.activeStreams(), [1, 1]);
    await tenant.cancel(other, run.runId);
    assertEquals([await run.ended, await follower.ended], ["done", "done"]);
    assertEquals(follower.frames, run.frames);
    const last = run.frames.at(-1)!.data;
    assert(last.type === "done" && last.finishReason === "cancelled");
    gate.open();
  }
}

/** A message that is repeated at the other release finds its run, and is charged once. */
async function checkRepeats(fleet: RollingFleet, both: [RollingProcess, RollingProcess]) {
  const tenant = await FleetTenant.create(fleet);
  for (const [n, [first, second]] of [both, [...both].reverse()].entries()) {
    const message = { idempotencyKey: `repeated-message-${n}` };
    const sent = await expectAnswer(await tenant.send(first!, message));
    const repeated = await expectAnswer(await tenant.send(second!, message));
    assertEquals(repeated.runId, sent.runId);
    assertEquals(await tenant.cost(second!), (n + 1) * MESSAGE_COST);
  }
}

/** The previous release knows no restrictions of API keys, and so rejects a key that has some. */
async function checkRestrictedKey(
  fleet: RollingFleet,
  { previous, current }: { previous: RollingProcess; current: RollingProcess },
) {
  const tenant = await FleetTenant.create(fleet);
  const { secret } = await fleet.operator.apiKeys.create(tenant.id, {
    ...{ name: "restricted", scopes: ["agents:read"], agents: [crypto.randomUUID()] },
  });
  const statusAt = async ({ url }: RollingProcess) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${url}/v1/agents`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await statusAt(current), await statusAt(previous)], [200, 401]);
}

/** Changes of the previous release get links as well, once they are looked for. */
async function checkAuditChain(fleet: RollingFleet, both: [RollingProcess, RollingProcess]) {
  const { kv, operator } = fleet;
  const tenant = (await FleetTenant.create(fleet)).id;
  const ofKey = { name: "all", scopes: ["agents:write" as const] };
  const client = new Client((await operator.apiKeys.create(tenant, ofKey)).secret);
  for (const process of both) await client.call(process, "/v1/agents", { json: agentBody() });
  await queueUnchained(kv, { tenant, now: Date.now() });
  const chains = new AuditChainStore(kv, systemRuntime);
  while ((await chains.append(tenant)).state !== "empty");
  const verifier = new AuditVerifier(kv, { runtime: systemRuntime, tenants: operator.tenants });
  const { late, waiting, issues } = await verifier.verify(tenant);
  // That of the new tenant, and one of those above.
  assertEquals([late, waiting, issues], [2, 0, []]);
}

/** The previous release applies its own maximum of a limit, and keeps what it does not know. */
async function checkLargeLimits(fleet: RollingFleet, both: [RollingProcess, RollingProcess]) {
  const tenant = await FleetTenant.create(fleet, {
    ...{ keyRequests: 60_000, ipMessages: 60_000, streams: 10_000 },
  });
  for (const process of both) await expectAnswer(await tenant.send(process));
  const windows = () =>
    Array.fromAsync(fleet.kv.list<StoredWindows>({ prefix: keys.apiKeyWindows(tenant.id) }));
  const times = Array.from({ length: 7_000 }, () => Date.now());
  const all = packStamps(undefined, times)!;
  for (const { key, value } of await windows()) {
    await fleet.kv.set(key, { ...value, packed: { all } });
  }
  for (const process of both) await expectAnswer(await tenant.send(process));
  const counts = (await windows()).map(({ value }) => value.packed?.all?.count);
  assertEquals(new Set(counts), new Set([7_000]));
  for (const process of both) assertEquals(await tenant.cost(process), 4 * MESSAGE_COST);
  assertEquals(await tenant.activeStreams(), [0, 0]);
}

/** The release that stops interrupts its run, and the one that stays settles nothing a second time. */
async function checkStop(
  fleet: RollingFleet,
  { stops, stays }: { stops: RollingProcess; stays: RollingProcess },
) {
  const tenant = await FleetTenant.create(fleet);
  const run = await tenant.send(stops, { text: fleet.vendor.gate().message });
  assertEquals(await stops.stop(), 0);
  assertEquals(await run.ended, "done");
  const seen = await tenant.follow(stays, run.runId);
  await seen.ended;
  const error = seen.frames.at(-2)!.data;
  assert(error.type === "error" && error.code === "run_interrupted");
  await expectAnswer(await tenant.send(stays));
  const { live, used, settled } = await readStoredUsage(fleet.kv);
  assertEquals([live, used], [[], settled]);
}

for (const denokv of new Set([undefined, DENOKV_BIN])) {
  const on = denokv === undefined ? "a served file" : "denokv";
  Deno.test({
    name: `${on}: the previous release and this one share a store, in both directions`,
    ignore: !isInHistory || Deno.build.os !== "linux",
    async fn(t) {
      const dir = await Deno.makeTempDir();
      try {
        await prepareBuild();
        const from = await buildPreviousRelease(dir);
        await using fleet = await RollingFleet.open({ denokv, env: {} });
        const previous = await fleet.start({ from });
        const current = await fleet.start();
        const both: [RollingProcess, RollingProcess] = [previous, current];
        await t.step("each reads the records of the other", () => checkRecords(fleet, both));
        await t.step("runs are followed and stopped at the other", () => checkRuns(fleet, both));
        await t.step("a repeated message has one run", () => checkRepeats(fleet, both));
        await t.step("changes of both are chained", () => checkAuditChain(fleet, both));
        await t.step(
          "a restricted key is none for the previous release",
          () => checkRestrictedKey(fleet, { previous, current }),
        );
        await t.step(
          "both serve a tenant whose limits only this release allows",
          () => checkLargeLimits(fleet, both),
        );
        await t.step(
          "an upgrade: the previous release stops",
          () => checkStop(fleet, { stops: previous, stays: current }),
        );
        const again = await fleet.start({ from });
        await t.step(
          "a downgrade: this release stops",
          () => checkStop(fleet, { stops: current, stays: again }),
        );
        await t.step("the previous release starts alone on what is there", async () => {
          assertEquals(await again.stop(), 0);
          const alone = await fleet.start({ from });
          await expectAnswer(await (await FleetTenant.create(fleet)).send(alone));
        });
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}
