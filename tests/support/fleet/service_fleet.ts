import { openTestKv } from "../open_kv.ts";
import { setImmediate } from "node:timers";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { ManualClock } from "../manual_clock.ts";
import { type HangingKv, hangingKv } from "../hanging_kv.ts";
import { TestService } from "../service.ts";
import { type Fleet, fleetEnv, type FleetProcess, openOperator, type Operator } from "./fleet.ts";
import { FleetProvider } from "./fleet_provider.ts";

/** Step of the clock: shorter than any interval between heartbeats or sweeps. */
const STEP_MS = 1_000;
/** The most sequential store calls that one step causes. */
const CALLS_A_STEP = 25;
/** How often a condition is checked again when its time is up, for work still in progress. */
const LAST_LOOKS = 200;

interface Member extends FleetProcess {
  readonly service: TestService;
  readonly store: HangingKv;
}

/** Services in this process on one store in memory; their clock is the test's. */
export class ServiceFleet implements Fleet {
  readonly vendor: FleetProvider;
  readonly operator: Operator;
  readonly #kv: Deno.Kv;
  readonly #clock: ManualClock;
  #alive: Member[] = [];
  readonly #all: Member[] = [];

  private constructor(
    parts: { vendor: FleetProvider; operator: Operator; kv: Deno.Kv; clock: ManualClock },
  ) {
    this.vendor = parts.vendor;
    this.operator = parts.operator;
    this.#kv = parts.kv;
    this.#clock = parts.clock;
  }

  /** Opens `processes` services at a time, by default at noon. */
  static async open(
    processes: number,
    { at = Date.UTC(2026, 0, 15, 12) }: { at?: number } = {},
  ): Promise<ServiceFleet> {
    const kv = await openTestKv();
    const clock = new ManualClock(at);
    const runtime: Runtime = { ...systemRuntime, ...clock.runtime };
    const operator = await openOperator(kv, runtime);
    const vendor = await FleetProvider.start();
    const fleet = new ServiceFleet({ vendor, operator, kv, clock });
    for (let n = 0; n < processes; n++) await fleet.start();
    return fleet;
  }

  get processes(): readonly FleetProcess[] {
    return this.#alive;
  }

  async start(): Promise<FleetProcess> {
    const store = hangingKv(this.#kv);
    const service = await TestService.start({
      runtime: this.#clock.runtime,
      kv: store.kv,
      keepKv: true,
      env: fleetEnv(this.vendor),
      limits: DEFAULT_LIMITS,
      workers: false,
    });
    service.service.orphanedRuns.start();
    const member: Member = { url: service.url, service, store };
    this.#alive.push(member);
    this.#all.push(member);
    return member;
  }

  /** Cuts the service off: nothing reaches the store or a client any more, not even calls in progress. */
  async kill(process: FleetProcess): Promise<void> {
    const member = this.#alive.find((one) => one === process)!;
    this.#alive = this.#alive.filter((one) => one !== member);
    member.store.hang();
    await member.service.crash();
  }

  interruptStore(): Promise<() => Promise<void>> {
    const members = [...this.#alive];
    for (const { store } of members) store.hang();
    // deno-lint-ignore require-await -- other stores take time to come back
    return Promise.resolve(async () => {
      for (const { store } of members) store.goOn();
    });
  }

  now(): number {
    return this.#clock.runtime.now();
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) await this.#step(Math.min(left, STEP_MS));
  }

  async within(ms: number, condition: () => Promise<boolean>): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      if (await condition()) return;
      await this.#step(STEP_MS);
    }
    for (let look = 0; look < LAST_LOOKS; look++) if (await condition()) return;
    throw new Error(`not within ${ms} ms: ${condition}`);
  }

  async pause(): Promise<void> {
    await new Promise((wake) => setImmediate(wake));
  }

  /** Moves the clock in steps; each step's store calls finish before the next step. */
  async #step(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    for (let call = 0; call < CALLS_A_STEP; call++) {
      await this.pause();
      await this.#kv.get(["none"]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.vendor[Symbol.asyncDispose]();
    // Killed services are unblocked, so that they can close too.
    for (const { store, service } of this.#all) {
      store.goOn();
      await service[Symbol.asyncDispose]();
    }
    this.#kv.close();
  }
}
