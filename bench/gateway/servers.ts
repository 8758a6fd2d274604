import {
  chatRequests,
  type RequestFactory,
  type RequestOptions,
  type ServiceFormat,
} from "./requests.ts";
import { ServerProcess } from "./process.ts";
import { seedStore } from "./seed_store.ts";
import { startCommand } from "./start_command.ts";

const HERE = import.meta.dirname!;
export const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const SDK = `${HERE}/sdk_server`;
const HMAC_SECRET = "a secret of this benchmark and of nothing else";

/** A server under load, with the requests it understands. */
export interface Server extends AsyncDisposable {
  process: ServerProcess;
  requestFor: (options: RequestOptions) => RequestFactory;
}

/** The service, which understands several formats. */
export interface ServiceServer extends Server {
  requestIn: (format: ServiceFormat) => Server["requestFor"];
}

/** A server between the clients and the provider. */
export interface Contender {
  name: string;
  start: (providerPort: number) => Promise<Server>;
}

/** The mock provider in a process of its own. */
export async function startProvider(): Promise<ServerProcess> {
  const args = ["run", "-A", `${ROOT}/tests/support/mock_providers/serve.ts`];
  return await ServerProcess.start({ command: Deno.execPath(), args });
}

/** The provider itself, without a server in between; disposing of this does not stop it. */
export function direct(provider: ServerProcess): Server {
  return {
    process: provider,
    requestFor: (options) =>
      chatRequests({ ...options, path: "/v1/chat/completions", isProvider: true }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export const PASSTHROUGH: Contender = {
  name: "byte passthrough",
  async start(providerPort) {
    const args = ["run", "-A", `${HERE}/passthrough.ts`, `http://127.0.0.1:${providerPort}`];
    const process = await ServerProcess.start({ command: Deno.execPath(), args });
    return {
      process,
      requestFor: (options) =>
        chatRequests({ ...options, path: "/v1/chat/completions", isProvider: true }),
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    };
  },
};

type ServiceContender = Omit<Contender, "start"> & {
  start: (providerPort: number) => Promise<ServiceServer>;
};

/** The service as `deno task start` runs it, on a store in a file. */
export const SERVICE: ServiceContender = {
  name: "this service",
  start: (providerPort) => startService(ROOT, providerPort),
};

/** The service with further variables in its environment. */
export function serviceWith(name: string, more: Readonly<Record<string, string>>): Contender {
  return { name, start: (providerPort) => startService(ROOT, providerPort, more) };
}

/** The service of another checkout, in the folder that `GATEWAY_BENCH_BASELINE` names. */
export function baseline(): ServiceContender | undefined {
  const root = Deno.env.get("GATEWAY_BENCH_BASELINE");
  if (root === undefined) return undefined;
  return { name: "baseline", start: (providerPort) => startService(root, providerPort) };
}

/** Starts the service of a checkout. Its stored values must be in the format of this one. */
async function startService(
  root: string,
  providerPort: number,
  more: Readonly<Record<string, string>> = {},
): Promise<ServiceServer> {
  const { command, callers, dataDir } = await prepareService(root, providerPort, { more });
  const process = await ServerProcess.start(command);
  const requestIn = (format: ServiceFormat) => (options: RequestOptions) =>
    chatRequests({ ...options, format, callers });
  return {
    process,
    requestFor: requestIn("native"),
    requestIn,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** The command that starts the service of a checkout, and the callers in its new store. */
export async function prepareService(
  root: string,
  providerPort: number,
  { port = 0, more = {} }: { port?: number; more?: Readonly<Record<string, string>> } = {},
) {
  const dataDir = await Deno.makeTempDir({ prefix: "gateway_bench_" });
  const { models, catalogue } = CATALOGUE;
  await Deno.writeTextFile(`${dataDir}/catalogue.json`, JSON.stringify(catalogue));
  const callers = await seedStore(`${dataDir}/kv.sqlite3`, { hmacSecret: HMAC_SECRET, models });
  const env = {
    PORT: String(port),
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    CATALOGUE: `${dataDir}/catalogue.json`,
    API_KEY_HMAC_SECRET: HMAC_SECRET,
    TRUSTED_PROXY_HOPS: "1",
    LOG_LEVEL: "warn",
    VENDOR_A_PROTOCOL: "openai",
    VENDOR_A_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    VENDOR_A_API_KEY: "bench",
    ...more,
  };
  return { command: await startCommand(root, { env, flags: profilerFlags() }), callers, dataDir };
}

/** A Hono server around the SDK's `streamText`, on either runtime. */
export const SDK_SERVERS: Contender[] = [
  { name: "streamText on Node", command: "node", args: [] },
  {
    name: "streamText on Deno",
    command: Deno.execPath(),
    args: ["run", "-A", "--no-config", "--node-modules-dir=manual"],
  },
].map(({ name, command, args }) => ({
  name,
  async start(providerPort) {
    const process = await ServerProcess.start({
      command,
      args: [...args, "server.mjs", `http://127.0.0.1:${providerPort}/v1`],
      cwd: SDK,
      env: { NODE_ENV: "production" },
    });
    return {
      process,
      requestFor: (options) => chatRequests({ ...options, path: "/chat" }),
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    };
  },
}));

/** Installs the SDK's packages, which only this benchmark uses, in its folder; false if npm fails. */
export async function installSdk(): Promise<boolean> {
  const npm = new Deno.Command("npm", {
    args: ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"],
    cwd: SDK,
    stdout: "null",
    stderr: "inherit",
  });
  const isInstalled = await Deno.stat(`${SDK}/node_modules/ai`).then(() => true, () => false);
  if (isInstalled) return true;
  return await npm.output().then(({ success }) => success, () => false);
}

/** The models of the load, with prices, so that money is reserved and charged. */
const CATALOGUE = (() => {
  const models = ["mock-64-0", "mock-64-10", "mock-64-30", "mock-64-100", "mock-2-60000"];
  const prices = { inputUsdPerMTok: 0.15, outputUsdPerMTok: 0.6 };
  const sizes = { contextTokens: 128_000, maxOutputTokens: 4_096 };
  return {
    models,
    catalogue: models.map((model) => ({ vendor: "vendor_a", model, ...prices, ...sizes })),
  };
})();

/** `GATEWAY_BENCH_PROFILE=<folder>` writes a CPU profile of the service there when it is stopped. */
function profilerFlags(): string[] {
  const folder = Deno.env.get("GATEWAY_BENCH_PROFILE");
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}
