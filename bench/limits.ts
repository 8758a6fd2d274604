import { Admission } from "@/lib/billing/admission.ts";
import { DEFAULT_LIMITS, type Limits, WINDOW_MS } from "@/lib/billing/limits.ts";
import { packStamps } from "@/lib/billing/packed_stamps.ts";
import { MAX_LISTED_STAMPS, type StoredWindows } from "@/lib/billing/request_windows.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { encodedSize } from "@/lib/store/values/value_codec.ts";
import type { Benchmark } from "./mod.ts";
import { median } from "./support/median.ts";
import { withStore } from "./support/stores.ts";
import { formatNumber, formatTable } from "./support/table.ts";
import { RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";

const ROUNDS = 15;
/** Admissions of one round. */
const COUNT = 240;
/** Calls in parallel, which share commits. */
const PARALLEL = [1, 24];
/** Free places, so that nothing is rejected. */
const FREE = 48;
const ADDRESSES = 1_000;
const TENANT = runFacts(0).tenant;
const API_KEY = { tenant: TENANT, id: "key" };

export const benchmark: Benchmark = {
  about: "what an admission costs at small and at large limits of a plan",
  async run() {
    console.log("the cases alternate, on a file; times are medians for one call\n");
    const windows = [600, 6_000, 60_000].map(windowCase);
    console.log(formatTable(...await compare("requests a minute of one key", windows)));
    console.log();
    const streams = [80, 800, 10_000].map(streamsCase);
    console.log(formatTable(...await compare("streams of one tenant, nearly all open", streams)));
  },
};

interface Case {
  limit: number;
  open(kv: Deno.Kv): Promise<Opened>;
}

interface Opened {
  call(n: number): Promise<unknown>;
  /** The key of the record that the limit is decided on. */
  key: Deno.KvKey;
  close(): void;
}

/** Columns for each number of parallel calls: microseconds, and how many times those of the first case. */
async function compare(title: string, cases: readonly Case[]): Promise<[string[], string[][]]> {
  const rows = await withStores(cases.length, async (stores) => {
    const opened = await Promise.all(cases.map((one, i) => one.open(stores[i]!)));
    const times = opened.map(() => PARALLEL.map((): number[] => []));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, one] of opened.entries()) {
        for (const [j, parallel] of PARALLEL.entries()) {
          times[i]![j]!.push(await timeCalls(one, parallel));
        }
      }
    }
    return await Promise.all(opened.map(async ({ key, close }, i) => {
      close();
      const cells = PARALLEL.flatMap((_, j) => {
        const [first, own] = [times[0]![j]!, times[i]![j]!];
        const ratio = median(own.map((time, round) => time / first[round]!));
        return [formatNumber(median(own)), formatNumber(ratio)];
      });
      const bytes = encodedSize((await stores[i]!.get(key)).value);
      return [formatNumber(cases[i]!.limit), ...cells, formatNumber(bytes)];
    }));
  });
  const columns = PARALLEL.flatMap((parallel) => [`us, ${parallel} at once`, "ratio"]);
  return [[title, ...columns, "bytes stored"], rows];
}

function withStores<T>(count: number, use: (stores: Deno.Kv[]) => Promise<T>): Promise<T> {
  if (count === 0) return use([]);
  return withStore("file", (kv) => withStores(count - 1, (stores) => use([...stores, kv])));
}

let calls = 0;
/** Microseconds of one call. */
async function timeCalls({ call }: Opened, parallel: number): Promise<number> {
  const start = performance.now();
  for (let done = 0; done < COUNT; done += parallel) {
    await Promise.all(Array.from({ length: parallel }, () => call(calls++)));
  }
  return (performance.now() - start) / COUNT * 1000;
}

/** Requests at almost the maximum rate, from many addresses, each of which has its own limit. */
function windowCase(limit: number): Case {
  return {
    limit,
    async open(kv) {
      const count = limit - FREE;
      const step = WINDOW_MS / count;
      let now = Date.now();
      const runtime: Runtime = { ...systemRuntime, now: () => Math.floor(now) };
      const key = keys.apiKeyWindow(API_KEY.tenant, API_KEY.id);
      const times = Array.from({ length: count - 1 }, (_, n) => {
        return Math.floor(now - (count - 1 - n) * step);
      });
      await kv.set(key, storedWindows(times, limit));
      const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
      const limits: Limits = { ...DEFAULT_LIMITS, ipRequests: 1e6, keyRequests: limit };
      const call = (n: number) => {
        now += step;
        const caller = { address: `address-${n % ADDRESSES}`, apiKey: API_KEY };
        return admission.requests.countRequest({ id: n, caller, limits });
      };
      return { key, call, close: () => admission.close() };
    },
  };
}

function storedWindows(times: number[], limit: number): StoredWindows {
  if (limit <= MAX_LISTED_STAMPS) return { v: 1, all: times };
  return { v: 1, all: [], packed: { all: packStamps(undefined, times)! } };
}

/** Runs that begin and end while as many others as possible are active. */
function streamsCase(limit: number): Case {
  return {
    limit,
    async open(kv) {
      const runtime = systemRuntime;
      const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
      const limits: Limits = {
        ...DEFAULT_LIMITS,
        ...{ streams: limit, ipRequests: 1e6, ipMessages: 1e6, hardDailyCost: 1e12 },
      };
      const admit = (n: number) => {
        const run = runFacts(n, { startedAt: Date.now() });
        const caller = { address: `address-${n % ADDRESSES}` };
        return admission.admit({ ...runRequest(n, { run, caller, limits, hold: 1 }) });
      };
      for (let n = 0; n < limit - FREE; n += 100) {
        const some = Array.from({ length: Math.min(100, limit - FREE - n) }, (_, i) => n + i);
        await Promise.all(some.map((one) => admit(1_000_000 + one)));
      }
      const call = async (n: number) => {
        await admit(n);
        await admission.settle(`run-${n}`, { end: RUN_END, cost: 1, ceiling: 1e9 });
      };
      return { key: keys.tenantLedger(TENANT), call, close: () => admission.close() };
    },
  };
}
