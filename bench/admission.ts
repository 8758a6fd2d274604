import type { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { Admission } from "@/lib/billing/admission.ts";
import { DEFAULT_LIMITS, WINDOW_MS } from "@/lib/billing/limits.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import type { Benchmark } from "./mod.ts";
import { chatOnce } from "./support/chat_once.ts";
import { createChatEnvironment } from "./support/chat_environment.ts";
import { type EngineName, ENGINES } from "./support/engines.ts";
import { measure, type Measured } from "./support/load.ts";
import { distantKv, type StoreKind, withStore } from "./support/stores.ts";
import { formatNumber, formatTable } from "./support/table.ts";

/** Duration of each measurement. */
const MS = 2_000;
const KEYS = 1_000;
const CHATTERS = 2_000;
/** A window holds this many live stamps at any time: nearly full, but nothing is rejected. */
const LIVE_STAMPS = 55;

export const benchmark: Benchmark = {
  about: "rate limits and full chat admission, compared with a check-and-set loop",
  async run() {
    const { deno, v8 } = Deno.version;
    console.log(`Deno ${deno}, V8 ${v8}, ${navigator.hardwareConcurrency} cores`);
    console.log("ours: lib/store/tx; baseline: bench/baseline/check_and_set.ts, the same rules");
    await compare("one hot key: checks/s", [...checkCases({ spread: 1 }), ...PAUSING_CASES]);
    await compare(`${KEYS} keys by turns: checks/s`, checkCases({ spread: KEYS }));
    await compare("chats admitted and settled/s, on a file", chatCases());
    console.log("\n>: some requests were still waiting at the end; their age is a lower bound");
  },
};

interface Case {
  name: string;
  run(engine: EngineName): Promise<Measured>;
}

async function compare(title: string, cases: Case[]): Promise<void> {
  const rows: string[][] = [];
  for (const { name, run } of cases) {
    const ours = await run("ours");
    const baseline = await run("baseline");
    const ratio = ours.perSecond / baseline.perSecond;
    const times = Number.isFinite(ratio) ? `${formatNumber(ratio)} x` : "none done";
    rows.push([name, ...cells(ours), ...cells(baseline), times]);
  }
  const head = ["", "ours/s", "p50 ms", "p99 ms", "baseline/s", "p50 ms", "p99 ms", "ratio"];
  console.log(`\n${title}\n${formatTable(head, rows)}`);
}

function cells({ perSecond, p50, p99, open }: Measured): string[] {
  const bound = open > 0 && perSecond > 0 && open > perSecond * MS / 1000 / 100 ? ">" : "";
  return [formatNumber(perSecond), bound + formatNumber(p50), bound + formatNumber(p99)];
}

function checkCases({ spread }: { spread: number }): Case[] {
  return (["file", "memory"] as const).flatMap((store) =>
    [1, 10, 100, 1000].map((callers) => ({
      name: `${store}, ${callers} callers`,
      run: (engine: EngineName) => measureChecks({ engine, store, callers, spread }),
    }))
  );
}

/** The same against a baseline that waits up to 50 ms, at random, after each lost race. */
const PAUSING_CASES: Case[] = [10, 100].map((callers) => ({
  name: `file, ${callers} callers, baseline pauses`,
  run: (name: EngineName) => {
    const engine = name === "ours" ? name : "pausingBaseline";
    return measureChecks({ engine, store: "file", callers, spread: 1 });
  },
}));

/** Requests with an API key, counted in its window and its address's; every one is admitted. */
function measureChecks(
  { engine, store, callers, spread }: {
    engine: EngineName;
    store: StoreKind;
    callers: number;
    spread: number;
  },
): Promise<Measured> {
  return withStore(store, async (kv) => {
    const stop = new AbortController();
    const committer = ENGINES[engine](kv, stop.signal) as unknown as GroupCommitter;
    const admission = new Admission(committer, { runtime: rollingClock(spread) });
    const requesters = Array.from({ length: spread }, (_, n) => ({
      address: `address-${n}`,
      apiKey: { tenant: `tenant-${n}`, id: `key-${n}` },
    }));
    let turn = 0;
    const send = () =>
      admission.requests.countRequest({
        id: admission.requests.newId(),
        caller: requesters[turn++ % spread]!,
        limits: DEFAULT_LIMITS,
      });
    return await measure(send, { callers, ms: MS, stop });
  });
}

/**
 * Each reading of the clock advances it by one request's interval at almost the maximum rate of every key,
 * so the windows are as full as possible and every check is admitted and written.
 */
function rollingClock(spread: number): Runtime {
  const step = WINDOW_MS / LIVE_STAMPS / spread;
  let now = Date.now();
  return { ...systemRuntime, now: () => Math.floor(now += step) };
}

function chatCases(): Case[] {
  const local = [1, 10, 100].flatMap((callers) =>
    [1, 100].map((tenants) => ({ callers, tenants, latencyMs: 0 }))
  );
  const distant = [1, 100].map((tenants) => ({ callers: 100, tenants, latencyMs: 10 }));
  return [...local, ...distant].sort((a, b) => a.latencyMs - b.latencyMs || a.tenants - b.tenants)
    .map((of) => ({ name: chatName(of), run: (engine) => measureChats({ ...of, engine }) }));
}

function chatName(
  { callers, tenants, latencyMs }: { callers: number; tenants: number; latencyMs: number },
): string {
  const where = tenants === 1 ? "one tenant" : `${tenants} tenants`;
  return `${where}, ${callers} callers${latencyMs === 0 ? "" : `, store ${latencyMs} ms away`}`;
}

function measureChats(
  { engine, callers, tenants, latencyMs }: {
    engine: EngineName;
    callers: number;
    tenants: number;
    latencyMs: number;
  },
): Promise<Measured> {
  return withStore("file", async (file) => {
    const stop = new AbortController();
    let delayMs = 0;
    const kv = latencyMs === 0 ? file : distantKv(file, () => delayMs);
    const committer = ENGINES[engine](kv, stop.signal);
    const environment = await createChatEnvironment(file, {
      engine: committer,
      tenants,
      chatters: CHATTERS,
    });
    // Warm the cache of credentials, plans and agents; the baseline has none.
    if (engine === "ours") {
      await forEachOnce(environment.chatters, (chatter) => chatOnce(environment, chatter));
    }
    delayMs = latencyMs;
    let turn = 0;
    const send = () => chatOnce(environment, environment.chatters[turn++ % CHATTERS]!);
    try {
      return await measure(send, { callers, ms: MS, stop });
    } finally {
      environment.rateLimiterDeps.admission.close();
    }
  });
}

async function forEachOnce<T>(all: readonly T[], use: (one: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += 100) await Promise.all(all.slice(i, i + 100).map(use));
}
