import { appendRun } from "@/lib/store/conversations/append_run.ts";
import type { Transaction } from "@/lib/store/tx/operation.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { updateWordIndex } from "@/lib/store/agents/agent_index.ts";
import { setAgentRecord } from "@/lib/store/agents/agent_record.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import { addToUsage, usageKeyOf } from "@/lib/store/runs/usage_rows.ts";
import { SeededRandom } from "@/tests/support/fuzz/seeded_random.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";

/** The contents of the store; `now` in milliseconds. */
export interface DashboardSeed {
  tenant: string;
  agents: number;
  conversations: number;
  now: number;
}

const DAYS = 30;
const DAY_MS = 86_400_000;
/** One commit takes 1,000 mutations; a conversation is at most 10. */
const CONVERSATIONS_PER_COMMIT = 80;
const AGENTS_PER_COMMIT = 100;
/** This share of the agents has nine tenths of the conversations. */
const BUSY_SHARE = 0.1;

/**
 * Creates agents, and conversations of the last 30 days with everything that chats store, using the same
 * code as chats. Returns the ids of both. Seeded, so every run of a benchmark reads the same store.
 */
export async function seedDashboard(
  kv: Deno.Kv,
  seed: DashboardSeed,
): Promise<{ agentIds: string[]; conversationIds: string[] }> {
  const random = new SeededRandom(7);
  const agentIds = Array.from({ length: seed.agents }, () => uuid(random));
  await seedAgents(kv, { ...seed, agentIds });
  const runs = Array.from({ length: seed.conversations }, (_, n) => {
    const agentCount = random.chance(0.9) ? Math.ceil(seed.agents * BUSY_SHARE) : seed.agents;
    const agentId = agentIds[random.int(0, agentCount - 1)]!;
    const endedAt = seed.now - Math.floor(n / seed.conversations * DAYS * DAY_MS);
    return runOf(random, { tenant: seed.tenant, agentId, endedAt });
  });
  const usage = new Map<string, { key: string[]; value: unknown }>();
  for (let at = 0; at < runs.length; at += CONVERSATIONS_PER_COMMIT) {
    const step = kv.atomic();
    for (const run of runs.slice(at, at + CONVERSATIONS_PER_COMMIT)) writeRun(step, { run, usage });
    await step.commit();
  }
  await writeAll(kv, [...usage.values()]);
  const conversationIds = runs.map(({ conversationId }) => conversationId);
  return { agentIds, conversationIds };
}

async function seedAgents(
  kv: Deno.Kv,
  { tenant, agentIds, now }: DashboardSeed & { agentIds: string[] },
): Promise<void> {
  for (let at = 0; at < agentIds.length; at += AGENTS_PER_COMMIT) {
    const step = kv.atomic();
    agentIds.slice(at, at + AGENTS_PER_COMMIT).forEach((id, n) => {
      const createdAt = now - (at + n) * 60_000;
      const name = `Assistant ${at + n + 1}`;
      const body = {
        ...{ name, systemPrompt: "You help visitors of a small shop. Be brief." },
        modelPolicy: { provider: "vendor_a" as const, model: "demo" },
        budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
        ...{ tools: [], allowedDomains: [] },
      };
      const record = { v: 1 as const, id, createdAt, updatedAt: createdAt, version: 1, body };
      setAgentRecord(step, tenant, record);
      step.set(keys.agentByCreated(tenant, createdAt, id), id);
      updateWordIndex(step, tenant, { now: { id, createdAt, name } });
    });
    await step.commit();
  }
  await kv.set(keys.agentWordIndexBuilt(tenant), 1);
}

/** A settled run: one in fifty fails, one in two hundred is expensive. */
function runOf(
  random: SeededRandom,
  { tenant, agentId, endedAt }: { tenant: string; agentId: string; endedAt: number },
): RunRecord {
  const fails = random.chance(0.02);
  const cost = random.chance(0.005) ? random.int(60_000, 400_000) : random.int(50, 3_000);
  return {
    v: 1,
    runId: uuid(random),
    tenant,
    agentId,
    agentVersion: 1,
    conversationId: uuid(random),
    source: { kind: "session", id: "session" },
    provider: random.chance(0.7) ? "vendor_a" : "vendor_b",
    model: random.chance(0.5) ? "small" : "large",
    startedAt: endedAt - 1_800,
    endedAt,
    ...{ steps: 1, toolCalls: 0, firstTextMs: 340, excess: 0, cost },
    inputTokens: random.int(200, 1_000),
    outputTokens: random.int(50, 350),
    finishReason: fails ? "error" : "stop",
    ...(fails ? { errorCode: "provider_error" as const } : {}),
  };
}

/** A word that some two of 100,000 conversations share. */
export function rareWord(conversationId: string): string {
  return conversationId.slice(0, 4);
}

function transcriptOf(conversationId: string): Uint8Array {
  const content = `When are you open on Sundays? My order is ${rareWord(conversationId)}.`;
  return new TextEncoder().encode(JSON.stringify({
    messages: [{ role: "user", content, claimed: false }],
    text: "We are open from ten to four on Sundays, and closed on public holidays.",
    tools: [],
  }));
}

function writeRun(
  step: Deno.AtomicOperation,
  { run, usage }: { run: RunRecord; usage: Map<string, { key: string[]; value: unknown }> },
): void {
  const { tenant, agentId, conversationId: id } = run;
  const tx = transactionOn(step);
  const name = { tenant, id, agentId, page: "" };
  const transcript = transcriptOf(id);
  const { replaces: _none, ...row } = run;
  const packTranscript = () => ({ chunks: [transcript], bytes: transcript.length, written: false });
  appendRun(tx, {
    name,
    source: "widget",
    days: 30,
    row,
    digests: ["digest"],
    messages: 2,
    keyDigest: (digest) => digest,
    packTranscript,
  });
  step.set(keys.run(tenant, run.runId), run);
  const key = usageKeyOf(run, dayOf(run.endedAt));
  const text = key.join(" ");
  const counted = {
    ...tx,
    get: () => usage.get(text)?.value,
    set: (_key: Deno.KvKey, value: unknown) => void usage.set(text, { key, value }),
  } as Transaction;
  addToUsage(counted, key, run);
}

/** A transaction for `appendRun` in which the conversation does not exist yet. */
function transactionOn(step: Deno.AtomicOperation): Transaction {
  return {
    get: () => undefined,
    set: (key, value) => void step.set(key, value),
    update: (key, make) => void step.set(key, make(undefined, false)),
    delete: (key) => void step.delete(key),
    create: (key, value) => void step.set(key, value),
    blindWrite: (key, value) =>
      void (value === undefined ? step.delete(key) : step.set(key, value)),
  };
}

async function writeAll(kv: Deno.Kv, rows: { key: string[]; value: unknown }[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 500) {
    const step = kv.atomic();
    for (const { key, value } of rows.slice(at, at + 500)) step.set(key, value);
    await step.commit();
  }
}

function uuid(random: SeededRandom): string {
  const hex = Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}
