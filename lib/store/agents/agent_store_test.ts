import { assert, assertEquals, assertRejects } from "@std/assert";
import { agentBodyOf } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { AgentBody } from "../../schemas/agent.ts";
import { AgentStore } from "./agent_store.ts";
import { keys } from "../keys/keys.ts";
import { CorruptRecordError } from "../values/record.ts";

const [OURS, THEIRS] = [fakeUuid(801), fakeUuid(802)];
const ALL = { limit: 100 };
const rename = (name: string) => ({ change: (body: AgentBody) => ({ ...body, name }) });

function open(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  return { runtime, agents: new AgentStore(kv, runtime) };
}

Deno.test("AgentStore: reading a created agent returns what create returned", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const made = await agents.create(OURS, agentBodyOf({ name: "One" }));
  assertEquals(made.version, 1);
  assertEquals([made.createdAt, made.updatedAt], Array(2).fill("2030-01-01T00:00:00.000Z"));
  assertEquals("fallback" in made, false);
  assertEquals(await agents.get(OURS, made.id), made);
  assertEquals(await agents.getVersion(OURS, made.id, 1), made);
});

Deno.test("AgentStore: another tenant's agent is not found by any method", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf());
  assertEquals(await agents.get(THEIRS, id), undefined);
  assertEquals(await agents.getVersion(THEIRS, id, 1), undefined);
  assertEquals(await agents.listVersions(THEIRS, id, ALL), { data: [] });
  assertEquals(await agents.list(THEIRS, { limit: 100 }), { data: [] });
  assertEquals(await agents.update(THEIRS, id, rename("Stolen")), { rejected: "not_found" });
  assertEquals(await agents.delete(THEIRS, id), { rejected: "not_found" });
  assertEquals((await agents.get(OURS, id))?.name, "Helper");
});

Deno.test("AgentStore: concurrent updates lose nothing", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf({ allowedDomains: [] }));
  const names = Array.from({ length: 20 }, (_, n) => `d${n}.example`);
  await Promise.all(names.map((name) =>
    agents.update(OURS, id, {
      change: (body) => ({ ...body, allowedDomains: [...body.allowedDomains, name] }),
    })
  ));
  const agent = await agents.get(OURS, id);
  assertEquals(agent?.allowedDomains.toSorted(), names.toSorted());
  assertEquals(agent?.version, 21);
});

Deno.test("AgentStore: of two updates of one version, one is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf());
  const changes = await Promise.all(
    ["A", "B"].map((name) => agents.update(OURS, id, { ...rename(name), ifMatch: [1] })),
  );
  assertEquals(changes.filter((change) => "agent" in change).length, 1);
  assertEquals(changes.filter((change) => "rejected" in change), [
    { rejected: "version_conflict", version: 2 },
  ]);
});

Deno.test("AgentStore: a change without effect keeps version and time", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, runtime } = open(kv);
  const made = await agents.create(OURS, agentBodyOf());
  await runtime.advance(1_000);
  const reordered = (body: AgentBody) =>
    Object.fromEntries(Object.entries(body).toReversed()) as unknown as AgentBody;
  assertEquals(await agents.update(OURS, made.id, { change: reordered }), { agent: made });
  assertEquals((await agents.listVersions(OURS, made.id, ALL)).data.length, 1);
});

Deno.test("AgentStore: a change that throws does not change the agent", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const made = await agents.create(OURS, agentBodyOf());
  const change = () => {
    throw new Error("no");
  };
  await assertRejects(() => agents.update(OURS, made.id, { change }), Error, "no");
  assertEquals(await agents.get(OURS, made.id), made);
});

Deno.test("AgentStore: versions are listed newest first and never change", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, runtime } = open(kv);
  const made = await agents.create(OURS, agentBodyOf({ name: "One" }));
  await runtime.advance(1_000);
  await agents.update(OURS, made.id, rename("Two"));
  const { data: versions } = await agents.listVersions(OURS, made.id, ALL);
  assertEquals(versions.map((v) => [v.version, v.name]), [[2, "Two"], [1, "One"]]);
  assertEquals(versions[0]?.updatedAt, "2030-01-01T00:00:01.000Z");
  assertEquals(versions[0]?.createdAt, made.createdAt);
  assertEquals(await agents.getVersion(OURS, made.id, 1), made);
  assertEquals(await agents.getVersion(OURS, made.id, 3), undefined);
});

Deno.test("AgentStore: stores the last 100 versions, and deletion removes every key", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf());
  for (let n = 0; n < 104; n++) await agents.update(OURS, id, rename(`Name ${n}`));
  const { data: kept } = await agents.listVersions(OURS, id, ALL);
  assertEquals([kept.length, kept[0]?.version, kept.at(-1)?.version], [100, 105, 6]);
  assert("agent" in await agents.delete(OURS, id));
  assertEquals(await storedKeys(kv), []);
  assertEquals(await agents.delete(OURS, id), { rejected: "not_found" });
});

Deno.test("AgentStore: deletion of another version is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf());
  const rejected = await agents.delete(OURS, id, { ifMatch: [7] });
  assertEquals(rejected, { rejected: "version_conflict", version: 1 });
  assert(await agents.get(OURS, id));
});

Deno.test("AgentStore: pages list every agent once, newest first, with any page size", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, runtime } = open(kv);
  const made: string[] = [];
  for (let n = 0; n < 7; n++) {
    made.unshift((await agents.create(OURS, agentBodyOf())).id);
    // Two were created in one millisecond: their ids decide.
    if (n !== 3) await runtime.advance(1);
  }
  for (const limit of [1, 2, 3, 7, 8]) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await agents.list(OURS, { limit, cursor });
      seen.push(...page.data.map((agent) => agent.id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assertEquals(seen, made, `pages of ${limit}`);
  }
});

Deno.test("AgentStore: the next page continues correctly after the deletion of the last agent", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents, runtime } = open(kv);
  for (let n = 0; n < 4; n++) {
    await agents.create(OURS, agentBodyOf({ name: `n${n}` }));
    await runtime.advance(1);
  }
  const first = await agents.list(OURS, { limit: 2 });
  await agents.delete(OURS, first.data[1]!.id);
  const second = await agents.list(OURS, { limit: 2, cursor: first.nextCursor });
  assertEquals(second.data.map((agent) => agent.name), ["n1", "n0"]);
  assertEquals(second.nextCursor, undefined);
});

Deno.test("AgentStore: an invalid cursor is rejected with 400", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const error = await assertRejects(
    () => agents.list(OURS, { limit: 2, cursor: "zzzzzzz=" }),
    ApiError,
  );
  assertEquals(error.code, "schema_validation_failed");
});

Deno.test("AgentStore: a custom commit can add to the step that creates, or prevent it", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const note = ["notes", "made"];
  const made = await agents.create(OURS, agentBodyOf(), {
    commit: async (change, agent) => (await change.set(note, agent.id).commit()).ok,
  });
  assertEquals((await kv.get(note)).value, made.id);
  assertEquals(await agents.get(OURS, made.id), made);
  const stored = await storedKeys(kv);
  const rejected = () =>
    agents.create(OURS, agentBodyOf(), { commit: () => Promise.resolve(false) });
  await assertRejects(rejected, Error, "gave up");
  assertEquals(await storedKeys(kv), stored);
});

Deno.test("AgentStore: the error for a corrupt record names the field and no value", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const { id } = await agents.create(OURS, agentBodyOf());
  const key = keys.agent(OURS, id);
  const record = (await kv.get<Record<string, unknown>>(key)).value!;
  await kv.set(key, { ...record, updatedAt: "private words" });
  const error = await assertRejects(() => agents.get(OURS, id), CorruptRecordError);
  assertEquals(error.message, "stored record agents is not readable at: updatedAt");
});

Deno.test("AgentStore: agents are listed by their current knowledge base", async () => {
  using kv = await Deno.openKv(":memory:");
  const { agents } = open(kv);
  const [first, second] = [fakeUuid(811), fakeUuid(812)];
  const { id } = await agents.create(OURS, agentBodyOf({ knowledgeBaseId: first }));
  await agents.create(OURS, agentBodyOf());
  const using = async (base: string, tenant = OURS) =>
    (await agents.listByBase(tenant, base, { limit: 10 })).data.map((agent) => agent.id);
  assertEquals([await using(first), await using(first, THEIRS)], [[id], []]);
  await agents.update(OURS, id, rename("Renamed"));
  assertEquals(await using(first), [id]);
  await agents.update(OURS, id, { change: (body) => ({ ...body, knowledgeBaseId: second }) });
  assertEquals([await using(first), await using(second)], [[], [id]]);
  await agents.delete(OURS, id);
  assertEquals(await using(second), []);
});
