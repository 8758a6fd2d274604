import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import process from "node:process";
import { ServerProcess } from "../gateway/process.ts";
import { CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { TEST_ENCRYPTION_KEY } from "@/tests/support/encryption_keys.ts";
import { DenokvServer } from "@/tests/support/denokv_server.ts";
import { TestService } from "@/tests/support/service.ts";
import { taskCommand } from "@/tests/support/task_command.ts";
import type { Usage } from "./leg.ts";
import { measuredKv, type StoreCalls } from "./measured_kv.ts";

const ROOT = `${import.meta.dirname}/../..`;
/** The secret under which `TestService` hashes API keys; the processes get the same. */
export const HMAC_SECRET = "test secret that is long enough to sign";
/** A model of the mock provider: one piece of text, without delay. */
export const MODEL = "mock-1-0";
/** The store timeout of production. */
const STORE_TIMEOUT_MS = 5_000;

/** Real processes, or services in this process, on one store. */
export interface Fleet extends AsyncDisposable {
  name: string;
  roundTripMs: number;
  urls: readonly string[];
  /** The store without delay, for seeding. */
  kv: Deno.Kv;
  usage: () => Promise<Usage>;
}

interface FleetOptions {
  processes: number;
  providerPort: number;
}

/** Services in this process on one store in memory, `roundTripMs` away from each of them. */
export async function startMemoryFleet(
  { processes, providerPort, roundTripMs }: FleetOptions & { roundTripMs: number },
): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const kv = stack.use(withValueEncoding(await Deno.openKv(":memory:")));
  await addModel(kv);
  const counts: StoreCalls[] = [];
  const urls: string[] = [];
  for (let n = 0; n < processes; n++) {
    const { kv: own, counted } = measuredKv(kv, roundTripMs);
    const env = { ...providerEnv(providerPort), LOG_LEVEL: "error" };
    const options = { kv: own, keepKv: true, env, storeTimeoutMs: STORE_TIMEOUT_MS };
    const service = stack.use(await TestService.start(options));
    counts.push(counted);
    urls.push(service.url);
  }
  const owned = stack.move();
  return {
    name: roundTripMs === 0 ? "memory" : `memory, ${roundTripMs} ms away`,
    roundTripMs,
    urls,
    kv,
    usage: () => {
      const { user, system } = process.cpuUsage();
      return Promise.resolve({ cpuMs: (user + system) / 1000, store: sum(counts) });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Processes as `deno task start` runs them, on a `denokv` server whose program is `bin`. */
export async function startDenokvFleet(
  { processes, providerPort, bin }: FleetOptions & { bin: string },
): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await DenokvServer.start(bin));
  const kv = stack.use(withValueEncoding(await Deno.openKv(server.url)));
  await addModel(kv);
  const members: ServerProcess[] = [];
  for (let n = 0; n < processes; n++) {
    const dataDir = await Deno.makeTempDir({ prefix: "scale_bench_" });
    stack.defer(() => Deno.remove(dataDir, { recursive: true }));
    const env = { ...providerEnv(providerPort), KV_URL: server.url, DATA_DIR: dataDir };
    members.push(stack.use(await startMember(env)));
  }
  const owned = stack.move();
  return {
    name: "denokv",
    roundTripMs: 0,
    urls: members.map(({ port }) => `http://127.0.0.1:${port}`),
    kv,
    usage: async () => {
      const each = await Promise.all(members.map((member) => member.cpuMs()));
      return { cpuMs: each.reduce((all, one) => all + one, 0) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startMember(env: Record<string, string>): Promise<ServerProcess> {
  return await ServerProcess.start({
    ...taskCommand("start"),
    cwd: ROOT,
    env: {
      ...env,
      PORT: "0",
      HOST: "127.0.0.1",
      API_KEY_HMAC_SECRET: HMAC_SECRET,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      LOG_LEVEL: "error",
    },
  });
}

/** The mock provider in a process of its own; it prints its port first. */
export async function startProvider(): Promise<ServerProcess> {
  const args = ["run", "-A", `${ROOT}/tests/support/mock_providers/serve.ts`];
  return await ServerProcess.start({ command: Deno.execPath(), args });
}

function providerEnv(port: number): Record<string, string> {
  return {
    TRUSTED_PROXY_HOPS: "1",
    VENDOR_A_PROTOCOL: "openai",
    VENDOR_A_BASE_URL: `http://127.0.0.1:${port}/v1`,
    VENDOR_A_API_KEY: "bench",
  };
}

/** Adds a model with a price, so that money is reserved and charged. */
async function addModel(kv: Deno.Kv): Promise<void> {
  const prices = { inputUsdPerMTok: 1, outputUsdPerMTok: 5 };
  const sizes = { contextTokens: 128_000, maxOutputTokens: 4_096 };
  const entry = { vendor: "vendor_a", model: MODEL, ...prices, ...sizes } as const;
  await new CatalogueStore(kv, { demoModel: true }).addMissing([entry]);
}

function sum(counts: readonly StoreCalls[]): StoreCalls {
  const all: StoreCalls = { calls: 0, commits: 0, conflicts: 0 };
  for (const one of counts) {
    all.calls += one.calls;
    all.commits += one.commits;
    all.conflicts += one.conflicts;
  }
  return all;
}
