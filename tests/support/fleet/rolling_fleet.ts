import { systemRuntime } from "@/lib/platform/runtime.ts";
import { openSupervisorSockets } from "@/lib/server/process/supervisor_sockets.ts";
import { serverPlaceEnv } from "@/lib/server/process/server_place.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { TEST_ENCRYPTION_KEY } from "../encryption_keys.ts";
import { freePort } from "../free_port.ts";
import { TEST_HMAC_SECRET } from "../service.ts";
import { denokvStore } from "../shared_store.ts";
import { type Fleet, fleetEnv, type FleetProcess, openOperator, type Operator } from "./fleet.ts";
import { FleetProvider } from "./fleet_provider.ts";
import { RealTime } from "./real_time.ts";

const root = new URL("../../../", import.meta.url).pathname;

/** A process of the fleet, and what its supervisor sees. */
export interface RollingProcess extends FleetProcess {
  /** What `/readyz` said last. */
  readonly isReady: boolean;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number>;
}

/** A store that processes share. */
interface RollingStore {
  /** For the test. */
  kv: Deno.Kv;
  /** Environment of process `n`. */
  env(n: number): Record<string, string>;
}

/**
 * Real processes on one store, each with its own port, whose `/readyz` is asked as a proxy asks it.
 * The store is a file that this process serves to them, as the supervisor of `WORKERS` does, or a
 * `denokv` server.
 */
export class RollingFleet extends RealTime implements Fleet {
  readonly vendor: FleetProvider;
  readonly operator: Operator;
  readonly kv: Deno.Kv;
  readonly #store: RollingStore;
  readonly #env: Record<string, string>;
  readonly #owned: AsyncDisposableStack;
  readonly #all: RollingProcess[] = [];
  /** Lines of the processes' logs. */
  readonly log: string[] = [];

  private constructor(parts: {
    vendor: FleetProvider;
    operator: Operator;
    store: RollingStore;
    env: Record<string, string>;
    owned: AsyncDisposableStack;
  }) {
    super();
    this.vendor = parts.vendor;
    this.operator = parts.operator;
    this.kv = parts.store.kv;
    this.#store = parts.store;
    this.#env = parts.env;
    this.#owned = parts.owned;
  }

  /** A fleet without processes; `denokv` is the path of the server's program. */
  static async open({ denokv, env }: {
    denokv: string | undefined;
    env: Record<string, string>;
  }): Promise<RollingFleet> {
    await using owned = new AsyncDisposableStack();
    const vendor = owned.use(await FleetProvider.start());
    const store = await (denokv === undefined ? servedFile(owned) : onDenokv(denokv, owned));
    const operator = await openOperator(store.kv, systemRuntime);
    return new RollingFleet({ vendor, operator, store, env, owned: owned.move() });
  }

  /** Those that a proxy would choose from. */
  get processes(): readonly RollingProcess[] {
    return this.#all.filter(({ isReady }) => isReady);
  }

  /** Starts one more; `from` is the folder of another release. */
  async start({ from = root } = {}): Promise<RollingProcess> {
    const port = freePort();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--cached-only", "--frozen", "-A", "main.ts"],
      cwd: from,
      env: {
        ...{ ...fleetEnv(this.vendor), PORT: String(port), LOG_LEVEL: "warn" },
        ...{ API_KEY_HMAC_SECRET: TEST_HMAC_SECRET, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY },
        ...{ ...this.#store.env(this.#all.length), ...this.#env },
      },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    void this.#read(child.stderr);
    const url = `http://127.0.0.1:${port}`;
    const process = new WatchedProcess(url, child);
    this.#owned.use(process);
    await this.within(30_000, () => {
      if (process.hasEnded) throw new Error(`the process ended: ${this.log.join("")}`);
      return process.check();
    });
    void process.watch(() => this.pause());
    this.#all.push(process);
    return process;
  }

  async #read(stderr: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of stderr.pipeThrough(new TextDecoderStream())) this.log.push(text);
  }

  kill(): Promise<void> {
    throw new Error("processes of this fleet end with SIGTERM");
  }

  interruptStore(): Promise<() => Promise<void>> {
    throw new Error("the store of this fleet stays");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}

class WatchedProcess implements RollingProcess, AsyncDisposable {
  readonly url: string;
  isReady = false;
  readonly #child: Deno.ChildProcess;
  hasEnded = false;

  constructor(url: string, child: Deno.ChildProcess) {
    this.url = url;
    this.#child = child;
    void child.status.then(() => this.hasEnded = true);
  }

  async check(): Promise<boolean> {
    const response = await fetch(`${this.url}/readyz`).catch(() => undefined);
    await response?.body?.cancel();
    return this.isReady = response?.status === 200;
  }

  async watch(pause: () => Promise<void>): Promise<void> {
    while (!this.hasEnded) {
      await pause();
      await this.check();
    }
  }

  async stop(): Promise<number> {
    this.#child.kill("SIGTERM");
    return (await this.#child.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

/** A file that this process has open, and serves on a socket. */
async function servedFile(owned: AsyncDisposableStack): Promise<RollingStore> {
  const dir = await Deno.makeTempDir();
  owned.defer(() => Deno.remove(dir, { recursive: true }));
  const raw = owned.use(await Deno.openKv(`${dir}/kv.sqlite3`));
  const sockets = await openSupervisorSockets(`${dir}/s`, { kv: raw, runtime: systemRuntime });
  owned.defer(() => sockets.close());
  // Not the first: that one would take the runs of the others for those of an earlier start.
  const place = (n: number) => serverPlaceEnv({ number: n + 2, isFirst: false, dir: `${dir}/s` });
  return { kv: withValueEncoding(raw), env: (n) => ({ DATA_DIR: dir, ...place(n) }) };
}

async function onDenokv(bin: string, owned: AsyncDisposableStack): Promise<RollingStore> {
  const store = owned.use(await denokvStore(bin));
  const kv = await store.open();
  return { kv, env: (n) => ({ ...store.env, DATA_DIR: `${store.dir}/${n}` }) };
}
