/** Storage is counted in the same step as it is used, exactly, also under concurrency. */
import { assert, assertEquals } from "@std/assert";
import { agentBodyOf } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { AgentBody } from "../../schemas/agent.ts";
import { AgentStore } from "../agents/agent_store.ts";
import { agentStorageUsage } from "../agents/agent_versions.ts";
import { DocumentStore } from "../knowledge/document_store.ts";
import { DocumentTaskQueue } from "../knowledge/document_task_queue.ts";
import { KnowledgeBaseStore } from "../knowledge/knowledge_base_store.ts";
import { knowledgeStorageUsage } from "../knowledge/knowledge_usage.ts";
import { keys } from "../keys/keys.ts";
import type { QuotaName } from "../../schemas/limits.ts";
import type { StorageUsage } from "./storage_usage.ts";
import { DEFAULT_PLAN, type Plan } from "./tenant_store.ts";

const TENANT = fakeUuid(801);
const KIB = 1_024;
const MIB = 1_048_576;

function plan(quotas: Plan["quotas"]): Plan {
  return { ...DEFAULT_PLAN, quotas };
}

/** Two processes: handles of one store that share no lock. */
function processes(
  kv: Deno.Kv,
  { seed = 1, ambiguous = 0, runtime = new FakeRuntime() } = {},
) {
  return [1, 2].map((n) => {
    const flaky = flakyKv(kv, { random: seeded(seed * 10 + n), turns: 4, ambiguous });
    return { kv: flaky.kv, agents: new AgentStore(flaky.kv, runtime), runtime };
  });
}

const prompt = (bytes: number) => agentBodyOf({ systemPrompt: "x".repeat(bytes) });
/** An agent of about `kib` KiB, in the schemas of its tools. */
const heavy = (kib: number): AgentBody =>
  agentBodyOf({
    allowedDomains: ["tools.example.com"],
    tools: Array.from({ length: Math.ceil(kib / 15) }, (_, n) => ({
      type: "http",
      name: `tool_${n}`,
      description: "Looks something up.",
      parameters: { type: "object", description: "x".repeat(15 * KIB) },
      request: { method: "GET", url: "https://tools.example.com/find" },
    })),
  });

/** The rejections among concurrent attempts, and the number of successes. */
async function outcomes(tries: Promise<unknown>[]) {
  const settled = await Promise.allSettled(tries);
  const refused = settled.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
  for (const error of refused) {
    assert(error instanceof ApiError, String(error));
    assertEquals([error.code, error.status], ["quota_exceeded", 403]);
  }
  return { done: settled.length - refused.length, refused: refused as ApiError[] };
}

/** The usage in the record, and the result of a scan. */
async function counted<N extends QuotaName>(kv: Deno.Kv, usage: StorageUsage<N>, area: string) {
  const { used } = await usage.read(TENANT);
  const key = keys.storageUsage(TENANT, area);
  const record = await kv.get(key);
  await kv.delete(key);
  const scanned = (await usage.read(TENANT)).used;
  await kv.set(key, record.value);
  return { used, scanned };
}

const countedAgents = (kv: Deno.Kv) => counted(kv, agentStorageUsage(kv), "agents");
const countedKnowledge = (kv: Deno.Kv) => counted(kv, knowledgeStorageUsage(kv), "knowledge");

Deno.test("quotas: of 20 agents created concurrently with a quota of 5, exactly 5 succeed, in one process and in two", async () => {
  for (const count of [1, 2]) {
    using kv = await Deno.openKv(":memory:");
    await kv.set(keys.plan(TENANT), plan({ agents: 5 }));
    const all = processes(kv).slice(0, count);
    const tries = Array.from(
      { length: 20 },
      (_, n) => all[n % count]!.agents.create(TENANT, agentBodyOf()),
    );
    const { done, refused } = await outcomes(tries);
    assertEquals(done, 5);
    for (const { details, message } of refused) {
      assertEquals(details, { quota: "agents", used: 5, limit: 5 });
      assertEquals(message, "the plan allows 5 agents, and there are 5");
    }
    const { used, scanned } = await countedAgents(kv);
    assertEquals([used.agents, used], [5, scanned]);
    // After a deletion exactly one more succeeds.
    const { data } = await all[0]!.agents.list(TENANT, { limit: 1 });
    await all[0]!.agents.delete(TENANT, data[0]!.id);
    const again = [1, 2, 3].map((n) => all[n % count]!.agents.create(TENANT, agentBodyOf()));
    assertEquals((await outcomes(again)).done, 1);
  }
});

Deno.test("quotas: a burst of agents stops at the quota of bytes", async () => {
  using kv = await Deno.openKv(":memory:");
  const limit = 4 * MIB;
  await kv.set(keys.plan(TENANT), plan({ agentBytes: limit }));
  const [{ agents }] = processes(kv) as [ReturnType<typeof processes>[0]];
  const { done, refused } = await outcomes(
    Array.from({ length: 20 }, () => agents.create(TENANT, heavy(240))),
  );
  assertEquals(done, Math.floor(limit / JSON.stringify(heavy(240)).length));
  const { used, scanned } = await countedAgents(kv);
  assertEquals(used, scanned);
  assert(used.agentBytes <= limit && used.agentBytes > limit - 250 * KIB);
  const requested = JSON.stringify(heavy(240)).length;
  const details = { quota: "agent_bytes", used: used.agentBytes, limit, requested };
  assertEquals(refused[0]?.details, details);
});

Deno.test("quotas: old versions are deleted for an edit, and only an edit that cannot fit is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const agents = new AgentStore(kv, runtime);
  await kv.set(keys.plan(TENANT), plan({ agentBytes: 30 * KIB }));
  const { id } = await agents.create(TENANT, prompt(5_000));
  const write = (length: number) =>
    agents.update(TENANT, id, {
      change: (body) => ({ ...body, systemPrompt: `${runtime.uuid()}${"y".repeat(length)}` }),
    });
  for (let n = 0; n < 20; n++) assert("agent" in await write(5_000));
  const { data: kept } = await agents.listVersions(TENANT, id, { limit: 100 });
  assertEquals([kept[0]?.version, kept.length], [21, 5]);
  // With a lower limit of versions, the next change deletes the others.
  await kv.set(keys.plan(TENANT), plan({ agentVersions: 2 }));
  assert("agent" in await write(10));
  const { data: left } = await agents.listVersions(TENANT, id, { limit: 100 });
  assertEquals(left.map(({ version }) => version), [22, 21]);
  // A quota below the usage rejects growth, and nothing else.
  await kv.set(keys.plan(TENANT), plan({ agentBytes: 4 * KIB }));
  const { refused } = await outcomes([write(9_000)]);
  assertEquals(refused.length, 1);
  assert("agent" in await write(1_000));
  const { used, scanned } = await countedAgents(kv);
  assertEquals(used, scanned);
  assert(used.agentBytes <= 4 * KIB);
});

for (const seed of [1, 2, 3]) {
  Deno.test(`quotas: after random changes of agents in two processes the record equals a scan (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const random = seeded(seed);
    await kv.set(keys.plan(TENANT), plan({ agents: 12, agentBytes: 1 * MIB, agentVersions: 4 }));
    // Some commits succeed but are reported as failed.
    const all = processes(kv, { seed, ambiguous: 0.05 });
    const ids: string[] = [];
    const one = () => ids[Math.floor(random() * ids.length)] ?? fakeUuid(1);
    const body = () => random() < 0.2 ? heavy(60) : prompt(1 + Math.floor(random() * 9_000));
    const step = async (n: number) => {
      const { agents } = all[n % 2]!;
      const roll = random();
      if (roll < 0.4) ids.push((await agents.create(TENANT, body())).id);
      else if (roll < 0.75) await agents.update(TENANT, one(), { change: body });
      else await agents.delete(TENANT, one());
    };
    for (let round = 0; round < 12; round++) {
      await Promise.allSettled(Array.from({ length: 12 }, (_, n) => step(n)));
      const { used, scanned } = await countedAgents(kv);
      assertEquals(used, scanned);
      assert(used.agents <= 12 && used.agentBytes <= MIB);
    }
  });

  Deno.test(`quotas: after random changes of knowledge in two processes the record equals a scan (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const random = seeded(seed);
    const limit = 200 * KIB;
    await kv.set(keys.plan(TENANT), plan({ knowledgeBases: 4, knowledgeBytes: limit }));
    const all = processes(kv, { seed }).map(({ kv, runtime }) => ({
      bases: new KnowledgeBaseStore(kv, runtime),
      documents: new DocumentStore(kv, runtime),
      tasks: new DocumentTaskQueue(kv, runtime),
    }));
    const sent = () => ({
      title: "T",
      mediaType: "text/plain" as const,
      bytes: new Uint8Array(1 + Math.floor(random() * 20_000)),
    });
    const bases: string[] = [];
    const stored: { tenant: string; base: string; id: string }[] = [];
    const any = <T>(of: T[]): T | undefined => of[Math.floor(random() * of.length)];
    const step = async (n: number) => {
      const { bases: bs, documents, tasks } = all[n % 2]!;
      const roll = random();
      const base = any(bases) ?? fakeUuid(1);
      const of = any(stored);
      if (roll < 0.15) bases.push((await bs.create(TENANT, { name: "B" })).id);
      else if (roll < 0.2) await bs.delete(TENANT, base);
      else if (roll < 0.5) {
        const made = await documents.create({ tenant: TENANT, base }, sent());
        if ("document" in made) stored.push({ tenant: TENANT, base, id: made.document.id });
      } else if (roll < 0.6 && of) await documents.delete(of);
      else if (roll < 0.7 && of) await documents.replace(of, sent());
      else {
        const taken = await tasks.take();
        if (taken === undefined) return;
        const parts = [new Uint8Array(1 + Math.floor(random() * 15_000))];
        const error = { code: "unreadable", message: "no" };
        await tasks.finish(
          taken.task,
          random() < 0.2 ? { error } : { read: { chunks: parts, passages: 3 } },
        );
      }
    };
    for (let round = 0; round < 12; round++) {
      await Promise.allSettled(Array.from({ length: 10 }, (_, n) => step(n)));
      const { used, scanned } = await countedKnowledge(kv);
      assertEquals(used, scanned);
      assert(used.knowledgeBases <= 4 && used.knowledgeBytes <= limit);
    }
  });
}

Deno.test("quotas: data of early releases is counted once, by the first write", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const agents = new AgentStore(kv, runtime);
  const made = await Promise.all(
    [prompt(100), heavy(60), prompt(9_000)].map((body) => agents.create(TENANT, body)),
  );
  await agents.update(TENANT, made[0]!.id, { change: (body) => ({ ...body, name: "Two" }) });
  const { used } = await agentStorageUsage(kv).read(TENANT);
  const bases = new KnowledgeBaseStore(kv, runtime);
  const documents = new DocumentStore(kv, runtime);
  const base = { tenant: TENANT, base: (await bases.create(TENANT, { name: "B" })).id };
  const bytes = new Uint8Array(7_000);
  await documents.create(base, { title: "T", mediaType: "text/plain", bytes });
  const tasks = new DocumentTaskQueue(kv, runtime);
  const parts = [new Uint8Array(500), new Uint8Array(40)];
  await tasks.finish((await tasks.take())!.task, { read: { chunks: parts, passages: 2 } });
  // The state of an early release: no record, and no sizes.
  for await (const entry of kv.list<Record<string, unknown>>({ prefix: [] })) {
    const [kind] = entry.key;
    if (kind === "storage_usage") await kv.delete(entry.key);
    if (kind === "agents" || kind === "agent_versions") {
      const { bytes: _, ...head } = entry.value;
      await kv.set(entry.key, head);
    }
    if (kind === "documents") {
      const { bytes: _, ...revision } = entry.value.revision as Record<string, unknown>;
      await kv.set(entry.key, { ...entry.value, revision });
    }
  }
  const tries = processes(kv, { runtime }).map((one) => one.agents.create(TENANT, prompt(100)));
  await Promise.all(tries);
  const more = 2 * JSON.stringify(prompt(100)).length;
  const after = await countedAgents(kv);
  assertEquals(after.used, { agents: 5, agentBytes: used.agentBytes + more });
  assertEquals(after.scanned, after.used);
  await bases.create(TENANT, { name: "Another" });
  assertEquals((await countedKnowledge(kv)).used, { knowledgeBases: 2, knowledgeBytes: 7_540 });
  await bases.delete(TENANT, base.base);
  assertEquals((await countedKnowledge(kv)).used, { knowledgeBases: 1, knowledgeBytes: 0 });
});

Deno.test("quotas: a document with more text than the quota allows fails with the reason", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  await kv.set(keys.plan(TENANT), plan({ knowledgeBytes: 1_000 }));
  const bases = new KnowledgeBaseStore(kv, runtime);
  const documents = new DocumentStore(kv, runtime);
  const base = { tenant: TENANT, base: (await bases.create(TENANT, { name: "B" })).id };
  const made = await documents.create(base, {
    ...{ title: "T", mediaType: "text/plain", bytes: new Uint8Array(900) },
  });
  assert("document" in made);
  const tasks = new DocumentTaskQueue(kv, runtime);
  const read = { chunks: [new Uint8Array(101)], passages: 1 };
  await tasks.finish((await tasks.take())!.task, { read });
  const failed = await documents.get({ ...base, id: made.document.id });
  assertEquals([failed?.state, failed?.error?.code], ["failed", "quota_exceeded"]);
  assertEquals(
    failed?.error?.message,
    "the plan allows 1,000 bytes of knowledge: 900 are in use, and 101 more were requested",
  );
  const { used, scanned } = await countedKnowledge(kv);
  assertEquals([used.knowledgeBytes, used], [900, scanned]);
});
