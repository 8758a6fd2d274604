import { systemRuntime } from "@/lib/platform/runtime.ts";
import { serverScriptPath } from "@/lib/server/process/server_script.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { openSharedStore } from "@/lib/store/shared/store_client.ts";
import { TEST_ENCRYPTION_KEY } from "../encryption_keys.ts";
import { childrenOf, listenersOn } from "../linux_sockets.ts";
import { TEST_HMAC_SECRET } from "../service.ts";
import { type StartedService, startService } from "../started_service.ts";
import { type Fleet, fleetEnv, type FleetProcess, openOperator, type Operator } from "./fleet.ts";
import { FleetProvider } from "./fleet_provider.ts";
import { RealTime } from "./real_time.ts";
import { WorkerRelay } from "./worker_relay.ts";

/** Reads the metrics of the fleet. */
export const SCRAPE_TOKEN = "scrape-token-of-a-fleet";
/** A replacement listens again within this many milliseconds. */
const REPLACED_MS = 20_000;

/** The server processes of one service that `deno task start` started with `WORKERS`; time is real. */
export class WorkerFleet extends RealTime implements Fleet {
  readonly vendor: FleetProvider;
  readonly operator: Operator;
  readonly service: StartedService;
  readonly log: string[];
  /** Of the process that was started. */
  readonly supervisor: number;
  readonly #port: number;
  readonly #owned: AsyncDisposableStack;
  #alive: WorkerRelay[] = [];

  private constructor(
    parts: {
      vendor: FleetProvider;
      operator: Operator;
      service: StartedService;
      log: string[];
      supervisor: number;
      owned: AsyncDisposableStack;
    },
  ) {
    super();
    this.vendor = parts.vendor;
    this.operator = parts.operator;
    this.service = parts.service;
    this.log = parts.log;
    this.supervisor = parts.supervisor;
    this.#port = Number(new URL(parts.service.base).port);
    this.#owned = parts.owned;
  }

  /** Starts a service with its data in `dir`. */
  static async open(dir: string, workers: number): Promise<WorkerFleet> {
    await using owned = new AsyncDisposableStack();
    const vendor = owned.use(await FleetProvider.start());
    const env = {
      ...fleetEnv(vendor),
      WORKERS: String(workers),
      API_KEY_HMAC_SECRET: TEST_HMAC_SECRET,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      METRICS_TOKEN: SCRAPE_TOKEN,
      LOG_LEVEL: "warn",
    };
    // Each data folder has a script of its own.
    const script = serverScriptPath({ ...env, DATA_DIR: `${dir}/data` });
    owned.defer(() => Deno.remove(new URL(`../../../${script}`, import.meta.url)).catch(() => {}));
    const log: string[] = [];
    const service = await startService(dir, env, { onLog: (line) => log.push(line) })
      .catch((cause) => {
        throw new Error(log.join("\n"), { cause });
      });
    owned.use(service);
    const supervisor = Number(await Deno.readTextFile(`${dir}/data/lock`));
    const path = `${dir}/data/servers/store.sock`;
    const conn = await Deno.connect({ transport: "unix", path });
    const kv = owned.use(withValueEncoding(openSharedStore(conn, { onLost: () => {} })));
    const operator = await openOperator(kv, systemRuntime);
    const fleet = new WorkerFleet({
      vendor,
      operator,
      service,
      log,
      supervisor,
      owned: owned.move(),
    });
    while (fleet.#alive.length < workers) await fleet.start();
    return fleet;
  }

  get processes(): readonly WorkerRelay[] {
    return this.#alive;
  }

  /** Waits for a process that the supervisor starts. */
  async start(): Promise<FleetProcess> {
    let pid: number | undefined;
    await this.within(REPLACED_MS, async () => {
      const known = this.#alive.map((one) => one.pid);
      pid = (await this.#pids()).find((one) => !known.includes(one));
      return pid !== undefined;
    });
    const pids = () => this.#pids();
    const relay = this.#owned.use(new WorkerRelay({ pid: pid!, port: this.#port, pids }));
    this.#alive.push(relay);
    return relay;
  }

  /** Kills a process, and waits for the one that replaces it. */
  async kill(process: FleetProcess): Promise<void> {
    const victim = this.#alive.find((one) => one === process)!;
    this.#alive = this.#alive.filter((one) => one !== victim);
    Deno.kill(victim.pid, "SIGKILL");
    await this.within(REPLACED_MS, async () => !(await this.#pids()).includes(victim.pid));
    await this.start();
  }

  /** Stops the supervisor from running. */
  interruptStore(): Promise<() => Promise<void>> {
    Deno.kill(this.supervisor, "SIGSTOP");
    return Promise.resolve(() => Promise.resolve(Deno.kill(this.supervisor, "SIGCONT")));
  }

  /** The server processes that listen. */
  async #pids(): Promise<number[]> {
    return await listenersOn(this.#port, await childrenOf(this.supervisor));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}
