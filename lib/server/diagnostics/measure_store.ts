import { learnMaxChecks } from "../../store/tx/store_error.ts";
import { keys } from "../../store/keys/keys.ts";
import { monotonicNow, type Runtime } from "../../platform/runtime.ts";

/** A small value, one that needs two socket writes, and a large one. Bytes. */
const WRITE_BYTES = [500, 2_000, 16_000] as const;
/** No engine allows more checks in one commit. */
const MAX_CHECKS_TRIED = 100;

export interface StoreMeasurements {
  readMs: number;
  writes: { bytes: number; ms: number }[];
  maxChecks: number;
}

/** Measures a store with test values and deletes them. Rethrows the store's errors. */
export async function measureStore(
  kv: Deno.Kv,
  { runtime, samples = 9 }: {
    runtime: Pick<Runtime, "now" | "uuid" | "randomBytes">;
    samples?: number;
  },
): Promise<StoreMeasurements> {
  const key = keys.storeProbe(runtime.uuid());
  const median = async (call: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let n = 0; n < samples; n++) {
      const began = monotonicNow(runtime);
      await call();
      times.push(monotonicNow(runtime) - began);
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  };
  try {
    // The first operation also connects.
    await kv.get(key);
    const readMs = await median(() => kv.get(key));
    const writes: StoreMeasurements["writes"] = [];
    for (const bytes of WRITE_BYTES) {
      const value = runtime.randomBytes(bytes);
      writes.push({ bytes, ms: await median(() => kv.set(key, value)) });
    }
    return { readMs, writes, maxChecks: await measureMaxChecks(kv) };
  } finally {
    await kv.delete(key);
  }
}

async function measureMaxChecks(kv: Deno.Kv): Promise<number> {
  for (let count = MAX_CHECKS_TRIED;;) {
    const names = Array.from({ length: count }, (_, n) => keys.storeProbe(`check ${n}`));
    try {
      await kv.atomic().check(...names.map((key) => ({ key, versionstamp: null }))).commit();
      return count;
    } catch (error) {
      const fewer = learnMaxChecks(error, count);
      if (fewer === undefined) throw error;
      count = fewer;
    }
  }
}

/** By the `Date` of a response: milliseconds ahead, with the precision of a second. */
export async function measureClockSkewMs(
  url: string,
  { fetch, runtime }: { fetch: typeof globalThis.fetch; runtime: Pick<Runtime, "now"> },
): Promise<number | undefined> {
  const began = runtime.now();
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
  await response.body?.cancel();
  const date = Date.parse(response.headers.get("date") ?? "");
  // The header is truncated to the second, which is half a second on average.
  return Number.isNaN(date) ? undefined : date + 500 - (began + runtime.now()) / 2;
}
