/** After a process is killed, every run still has exactly one end: CONTRACT sections 6 and 8. */
import { assert, assertEquals } from "@std/assert";
import { agentStorageUsage } from "@/lib/store/agents/agent_versions.ts";
import { readConversationUsage } from "@/lib/store/conversations/conversation_usage.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { catalogueEntry } from "./support/chat.ts";
import { seeded } from "./support/flaky_kv.ts";
import { readFrames } from "./support/frames.ts";
import {
  ANSWER_WORDS,
  killAt,
  type KillMoment,
  makeAgent,
  PacedProvider,
  type SeenRun,
  SlowTool,
} from "./support/killed_runs.ts";
import { agentBody, TestService } from "./support/service.ts";
import { fileStore, onStores, type SharedStore } from "./support/shared_store.ts";
import { createKey, startService } from "./support/started_service.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";

const test = onStores(fileStore);

/** `start`, words, a tool call and its result, words, `usage` and `done`. */
const MAX_FRAMES = 2 * ANSWER_WORDS + 5;

/** 20 moments of every kind, in an order determined by the seed. */
function moments(random: () => number): KillMoment[] {
  const below = (n: number) => Math.floor(random() * n);
  const frames = Array.from({ length: MAX_FRAMES - 2 }, (_, n) => ({ n: n + 1, by: random() }))
    .sort((a, b) => a.by - b.by);
  const all: KillMoment[] = [
    ...frames.slice(0, 8).map(({ n }): KillMoment => ({ at: "frame", n })),
    ...[0, 40, 400].map((max): KillMoment => ({ at: "sent", turns: below(max + 1) })),
    ...[0, 300].map((max): KillMoment => ({ at: "asked", turns: below(max + 1) })),
    ...[0, 300].map((max): KillMoment => ({ at: "tool", turns: below(max + 1) })),
    ...[0, 20].map((max): KillMoment => ({
      at: "type",
      type: "tool_result",
      turns: below(max + 1),
    })),
    ...[0, 30].map((max): KillMoment => ({ at: "type", type: "usage", turns: below(max + 1) })),
    { at: "type", type: "done", turns: 0 },
  ];
  return all.map((moment) => ({ moment, by: random() })).sort((a, b) => a.by - b.by)
    .map(({ moment }) => moment);
}

const numberOf = (id: string | undefined) => Number(id?.split(".")[1] ?? 0);

/** Resumes a run after its last received frame, checks the rest and returns how the run ended. */
async function resume(base: string, seen: SeenRun, key: string): Promise<string> {
  const after = seen.frames.at(-1)?.id ?? "";
  const headers = { authorization: `Bearer ${key}`, "last-event-id": after };
  const response = await fetch(`${base}/v1/chat/runs/${seen.runId}/stream`, { headers });
  const rest = response.status === 204 ? [] : await readFrames(response);
  const ids = rest.map(({ id }) => numberOf(id));
  assertEquals(ids, ids.map((_, n) => numberOf(after) + 1 + n));
  const all = [...seen.frames.map(({ data }) => data), ...rest.map(({ frame }) => frame)];
  assertEquals(all.filter(({ type }) => type === "done").length, 1);
  const last = all.at(-1)!;
  assert(last.type === "done");
  if (last.finishReason !== "error") return last.finishReason;
  const error = all.at(-2)!;
  assert(error.type === "error" && error.code === "run_interrupted");
  return "interrupted";
}

test("kill -9 at 20 moments of 20 runs: each has one end, nothing leaks, the ledger balances", async (store) => {
  const { dir } = store;
  const ends = new Map<string, string>();
  await using provider = await PacedProvider.start();
  await using tool = new SlowTool();
  await Deno.writeTextFile(`${dir}/catalogue.json`, JSON.stringify([catalogueEntry()]));
  const env = {
    ...store.env,
    CATALOGUE: `${dir}/catalogue.json`,
    EGRESS_ALLOW: tool.host,
    VENDOR_A_BASE_URL: provider.mock.url,
    VENDOR_A_API_KEY: "sk-test",
  };
  const body = {
    ...agentBody(),
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [httpTool({ request: { method: "GET", url: `http://${tool.host}/` } })],
    allowedDomains: [tool.host],
  };
  const ask = await makeAgent(dir, { env, key: (dir) => createKey(dir, { env: store.env }), body });
  let last: SeenRun | undefined;
  // There are 10 slots for 20 runs, so a leaked slot would reject a later run.
  for (const moment of moments(seeded(20))) {
    if (!store.alone) await (await startAndSweep(await store.open()))[Symbol.asyncDispose]();
    await using service = await startService(dir, env);
    const { base, kill } = service;
    // The next process settles the run before it answers any request.
    if (last !== undefined) ends.set(last.runId, await resume(base, last, ask.key));
    last = await killAt(moment, { base, kill, provider, tool, ask });
  }
  await checkAfter(store, { last, ends });
});

/** A service that is not the store's only process and has swept the orphaned runs. */
async function startAndSweep(kv: Deno.Kv): Promise<TestService & { now: () => number }> {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const service = await TestService.start({ kv, keepKv: true, runtime: { now } });
  await sweepOrphaned(service.service.orphanedRuns, (ms) => void (ahead += ms));
  return Object.assign(service, { now });
}

/** Checks the last run and the usage of all runs after another process has swept them. */
async function checkAfter(
  store: SharedStore,
  { last, ends }: { last: SeenRun | undefined; ends: Map<string, string> },
): Promise<void> {
  const kv = await store.open();
  await using service = await startAndSweep(kv);
  if (last !== undefined) {
    ends.set(last.runId, await resume(service.url, last, await service.key()));
  }
  const { live, leases, records, used, settled, spent } = await readStoredUsage(kv);
  assertEquals([live, leases], [[], []]);
  assertEquals([used, spent], [settled, settled.cost]);
  await checkStored(kv, service);
  assert(spent! > 0 && settled.runs >= ends.size && settled.runs <= 20);
  for (const [runId, end] of ends) assertEquals(records.get(runId)?.finishReason, end);
  assertEquals(new Set(ends.values()), new Set(["interrupted", "stop"]));
}

/** The counted storage usage equals a scan of the agents and conversations. */
async function checkStored(
  kv: Deno.Kv,
  service: TestService & { now: () => number },
): Promise<void> {
  const { now } = service;
  const tenant = await service.tenant();
  let runs = 0;
  let bytes = 0;
  const rows = kv.list<{ bytes: number }>({ prefix: keys.tenantConversationRuns(tenant) });
  for await (const { value } of rows) {
    runs++;
    // Each run counts 1 KiB in addition to its text.
    bytes += value.bytes + 1_024;
  }
  assert(runs > 10, "runs must be stored in conversations");
  assertEquals(await readConversationUsage(kv, { tenant, now: now() }), { runs, bytes });
  const { used } = await agentStorageUsage(kv).read(tenant);
  await kv.delete(keys.storageUsage(tenant, "agents"));
  assertEquals((await agentStorageUsage(kv).read(tenant)).used, used);
}
