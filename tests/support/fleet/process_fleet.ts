import { openTestKv } from "../open_kv.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { DelayingProxy } from "../delaying_proxy.ts";
import { DENOKV_TOKEN, DenokvServer } from "../denokv_server.ts";
import { TEST_ENCRYPTION_KEY } from "../encryption_keys.ts";
import { TEST_HMAC_SECRET } from "../service.ts";
import { type StartedService, startService } from "../started_service.ts";
import { type Fleet, fleetEnv, type FleetProcess, openOperator, type Operator } from "./fleet.ts";
import { FleetProvider } from "./fleet_provider.ts";
import { RealTime } from "./real_time.ts";

interface Member extends FleetProcess {
  readonly service: StartedService;
}

/** Real processes, as `deno task start` starts them, on a genuine `denokv` server; time is real. */
export class ProcessFleet extends RealTime implements Fleet {
  readonly vendor: FleetProvider;
  readonly operator: Operator;
  readonly #server: DenokvServer;
  readonly #storeUrl: string;
  readonly #dir: string;
  readonly #owned: AsyncDisposableStack;
  #alive: Member[] = [];
  #started = 0;

  private constructor(
    parts: {
      vendor: FleetProvider;
      operator: Operator;
      server: DenokvServer;
      storeUrl: string;
      dir: string;
      owned: AsyncDisposableStack;
    },
  ) {
    super();
    this.vendor = parts.vendor;
    this.operator = parts.operator;
    this.#server = parts.server;
    this.#storeUrl = parts.storeUrl;
    this.#dir = parts.dir;
    this.#owned = parts.owned;
  }

  /** Starts a server, the program `bin`, and `processes` on it, each `delayMs` away in each direction. */
  static async open(
    bin: string,
    { processes, delayMs }: { processes: number; delayMs: number },
  ): Promise<ProcessFleet> {
    await using owned = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir();
    owned.defer(() => Deno.remove(dir, { recursive: true }));
    const server = owned.use(await DenokvServer.start(bin));
    const vendor = owned.use(await FleetProvider.start());
    const proxy = delayMs === 0
      ? undefined
      : owned.use(new DelayingProxy({ port: server.port, delayMs }));
    const kv = owned.use(await openTestKv(server.url));
    const operator = await openOperator(kv, systemRuntime);
    const storeUrl = proxy?.url ?? server.url;
    const parts = { vendor, operator, server, storeUrl, dir, owned: owned.move() };
    const fleet = new ProcessFleet(parts);
    for (let n = 0; n < processes; n++) await fleet.start();
    return fleet;
  }

  get processes(): readonly FleetProcess[] {
    return this.#alive;
  }

  async start(): Promise<FleetProcess> {
    const env = {
      ...fleetEnv(this.vendor),
      KV_URL: this.#storeUrl,
      DENO_KV_ACCESS_TOKEN: DENOKV_TOKEN,
      API_KEY_HMAC_SECRET: TEST_HMAC_SECRET,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      LOG_LEVEL: "warn",
    };
    const dir = `${this.#dir}/${++this.#started}`;
    // Deno prints much about an unreachable store, which matters only when a start fails.
    const said: string[] = [];
    const service = await startService(dir, env, { onLog: (line) => said.push(line) })
      .catch((cause) => {
        throw new Error(said.join("\n"), { cause });
      });
    this.#owned.use(service);
    const member: Member = { url: service.base, service };
    this.#alive.push(member);
    return member;
  }

  async kill(process: FleetProcess): Promise<void> {
    const member = this.#alive.find((one) => one === process)!;
    this.#alive = this.#alive.filter((one) => one !== member);
    await member.service.kill();
  }

  interruptStore(): Promise<() => Promise<void>> {
    return this.#server.crash();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}
