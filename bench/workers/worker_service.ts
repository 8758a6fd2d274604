import { CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { serverScriptPath } from "@/lib/server/process/server_script.ts";
import { TEST_ENCRYPTION_KEY } from "@/tests/support/encryption_keys.ts";
import { childrenOf, listenersOn } from "@/tests/support/linux_sockets.ts";
import { startService } from "@/tests/support/started_service.ts";
import { type NewCaller, seedCallers } from "../scale/callers.ts";
import { HMAC_SECRET } from "../scale/fleets.ts";

/** CPU time in milliseconds so far. */
export interface WorkerUsage {
  total: number;
  /** 0 with one worker, which has no supervisor. */
  supervisor: number;
}

/** A service as `deno task start` runs it, with a seeded file as its store. */
export interface WorkerService extends AsyncDisposable {
  url: string;
  newCaller: NewCaller;
  usage(): Promise<WorkerUsage>;
}

const TENANTS = 8;
const STREAMS = 800;
/** Ticks of `/proc/<pid>/stat`, in milliseconds. */
const TICK_MS = 10;

/** Starts a service with `workers` processes whose callers talk to `model` of a mock provider. */
export async function startWorkerService(
  { workers, model, providerPort }: { workers: number; model: string; providerPort: number },
): Promise<WorkerService> {
  await using owned = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "workers_bench_" });
  owned.defer(() => Deno.remove(dir, { recursive: true }));
  const newCaller = await seedStore(`${dir}/data`, model);
  const env = {
    WORKERS: String(workers),
    LOG_LEVEL: "error",
    TRUSTED_PROXY_HOPS: "1",
    VENDOR_A_PROTOCOL: "openai",
    VENDOR_A_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    VENDOR_A_API_KEY: "bench",
    API_KEY_HMAC_SECRET: HMAC_SECRET,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
  };
  const script = serverScriptPath({ ...env, DATA_DIR: `${dir}/data` });
  owned.defer(async () => {
    if (script) await Deno.remove(new URL(`../../${script}`, import.meta.url));
  });
  const service = owned.use(await startService(dir, env));
  owned.defer(async () => void await service.stop());
  const started = Number(await Deno.readTextFile(`${dir}/data/lock`));
  const port = Number(new URL(service.base).port);
  const servers = async () => await listenersOn(port, [started, ...await childrenOf(started)]);
  while ((await servers()).length < workers);
  const pids = await servers();
  const stack = owned.move();
  return {
    url: service.base,
    newCaller,
    usage: async () => {
      const supervisor = pids.includes(started) ? 0 : await cpuMs(started);
      const each = await Promise.all(pids.map(cpuMs));
      return { supervisor, total: each.reduce((sum, one) => sum + one, supervisor) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function seedStore(dataDir: string, model: string): Promise<NewCaller> {
  await Deno.mkdir(dataDir);
  using kv = withValueEncoding(await Deno.openKv(`${dataDir}/kv.sqlite3`));
  const prices = { inputUsdPerMTok: 1, outputUsdPerMTok: 5 };
  const sizes = { contextTokens: 128_000, maxOutputTokens: 4_096 };
  const entry = { vendor: "vendor_a", model, ...prices, ...sizes } as const;
  await new CatalogueStore(kv, { demoModel: true }).addMissing([entry]);
  const callers = { tenants: TENANTS, streams: STREAMS, hmacSecret: HMAC_SECRET, model };
  return await seedCallers(kv, { kind: "backend", ...callers });
}

async function cpuMs(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}
