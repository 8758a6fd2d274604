import { openSharedStore } from "@/lib/store/shared/store_client.ts";
import { ServerProcess } from "../gateway/process.ts";
import { percentile } from "../scale/leg.ts";

const CALLS = 3_000;
const WARM_UP_CALLS = 500;
const VALUE = crypto.getRandomValues(new Uint8Array(1_000));

type Call = (kv: Deno.Kv, n: number) => Promise<unknown>;

const CALL_KINDS: Readonly<Record<string, Call>> = {
  "get of 1 KB": (kv) => kv.get(["a", "b"]),
  "getMany of 10 missing keys": (kv) => kv.getMany(Array.from({ length: 10 }, (_, n) => ["a", n])),
  "atomic: one check, two values of 1 KB": (kv, n) =>
    kv.atomic().check({ key: ["x", n], versionstamp: null })
      .set(["y", n % 100], VALUE).set(["z", n % 100], VALUE).commit(),
};

/** Medians in microseconds of calls that are made one after the other. */
export interface CallCosts {
  name: string;
  own: number;
  shared: number;
}

/** Measures the calls on a file of this process, then on one that another process serves. */
export async function measureStoreCalls(): Promise<CallCosts[]> {
  const dir = await Deno.makeTempDir({ prefix: "workers_bench_" });
  try {
    const own = await medians(await Deno.openKv(`${dir}/own`));
    const path = `${dir}/store.sock`;
    const script = new URL("serve_store.ts", import.meta.url).pathname;
    const args = ["run", "-A", script, `${dir}/shared`, path];
    await using _server = await ServerProcess.start({ command: Deno.execPath(), args });
    const conn = await Deno.connect({ transport: "unix", path });
    const shared = await medians(openSharedStore(conn, { onLost: () => {} }));
    return Object.keys(CALL_KINDS).map((name, n) => ({ name, own: own[n]!, shared: shared[n]! }));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function medians(kv: Deno.Kv): Promise<number[]> {
  await kv.set(["a", "b"], VALUE);
  const found: number[] = [];
  for (const call of Object.values(CALL_KINDS)) {
    for (let n = 0; n < WARM_UP_CALLS; n++) await call(kv, n);
    const times: number[] = [];
    for (let n = 0; n < CALLS; n++) {
      const startedAt = performance.now();
      await call(kv, n);
      times.push(1_000 * (performance.now() - startedAt));
    }
    found.push(percentile(times, 0.5));
  }
  kv.close();
  return found;
}
