import { StoreUnavailableError } from "../tx/operation.ts";
import type { Logger } from "../../platform/log.ts";
import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { overrideKv, overrideList } from "./override_kv.ts";

/** A store that has answered no call for this long gets no further calls, milliseconds. */
const SILENCE_THRESHOLD_MS = 1_000;
/** A queued call fails after this long, milliseconds. */
const MAX_WAIT_MS = 4_500;
/** A silent store is probed this long after the last call; the interval then doubles. */
const PROBE_INTERVAL_MS = { first: 1_000, max: 60_000 };

export interface StoreGateOptions {
  runtime: Pick<Runtime, "now" | "sleep">;
  log: Pick<Logger, "info" | "warn">;
  /** How long a call waits in the queue, milliseconds; 4,500 by default. */
  maxWaitMs?: number | undefined;
}

/**
 * A circuit breaker for the store. While the store is silent, calls wait in a queue until it answers one
 * of the calls in flight, and fail with `StoreUnavailableError` after `maxWaitMs`. Without it, Deno's
 * client of a KV server never gives up: it resends every call four times a second, prints a line each
 * time, and in the end also commits writes whose callers are long gone. Because the calls in flight can
 * be lost while the store is well, waiting calls also trigger probe reads at growing intervals.
 */
export function withStoreGate(kv: Deno.Kv, options: StoreGateOptions): Deno.Kv {
  const gate = new StoreGate({ ...options, probe: () => kv.get(keys.storeProbe("gate")) });
  return overrideKv(kv, {
    get: (...of: Parameters<Deno.Kv["get"]>) => gate.call(() => kv.get(...of)),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => gate.call(() => kv.getMany(...of)),
    set: (...of: Parameters<Deno.Kv["set"]>) => gate.call(() => kv.set(...of)),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => gate.call(() => kv.delete(...of)),
    list: (...of: Parameters<Deno.Kv["list"]>) =>
      overrideList(kv.list(...of), (next, isFirst) => {
        // Most rows come from a batch that has arrived already, and are not counted as calls.
        return isFirst || gate.isShut ? gate.call(next) : next();
      }),
    atomic() {
      const atomic = kv.atomic();
      const commit = atomic.commit.bind(atomic);
      return Object.assign(atomic, { commit: () => gate.call(commit) });
    },
  });
}

type QueuedCall = { send(): void; fail(error: Error): void };

class StoreGate {
  readonly #runtime: StoreGateOptions["runtime"];
  readonly #log: StoreGateOptions["log"];
  readonly #maxWaitMs: number;
  readonly #sendProbe: () => Promise<unknown>;
  readonly #queue = new Set<QueuedCall>();
  /** Calls sent since the last answer. */
  #unanswered = 0;
  /** When the first of them was sent. */
  #silentSince = 0;
  #sentAt = 0;
  #probeMs = PROBE_INTERVAL_MS.first;
  #isSilenceLogged = false;

  constructor(
    { runtime, log, maxWaitMs = MAX_WAIT_MS, probe }: StoreGateOptions & {
      probe: () => Promise<unknown>;
    },
  ) {
    this.#runtime = runtime;
    this.#log = log;
    this.#maxWaitMs = maxWaitMs;
    this.#sendProbe = probe;
  }

  /** True while calls are queued instead of sent. */
  get isShut(): boolean {
    return this.#unanswered > 0 &&
      monotonicNow(this.#runtime) - this.#silentSince >= SILENCE_THRESHOLD_MS;
  }

  call<T>(send: () => Promise<T>): Promise<T> {
    return this.isShut ? this.#enqueue(send) : this.#send(send);
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    this.#sentAt = monotonicNow(this.#runtime);
    if (this.#unanswered++ === 0) this.#silentSince = this.#sentAt;
    try {
      return await send();
    } finally {
      this.#onAnswer();
    }
  }

  /** The calls in flight may never be answered although the store is back. */
  #probe(): void {
    if (monotonicNow(this.#runtime) - this.#sentAt < this.#probeMs) return;
    this.#probeMs = Math.min(2 * this.#probeMs, PROBE_INTERVAL_MS.max);
    this.#send(this.#sendProbe).catch(() => {});
  }

  #enqueue<T>(send: () => Promise<T>): Promise<T> {
    this.#logSilence();
    return new Promise<T>((resolve, reject) => {
      const queued: QueuedCall = {
        send: () => {
          cancelTimer();
          this.#send(send).then(resolve, reject);
        },
        fail: reject,
      };
      const cancelTimer = setTimer(this.#runtime, this.#maxWaitMs, () => {
        if (this.#queue.delete(queued)) {
          queued.fail(new StoreUnavailableError("the store is silent"));
        }
      });
      this.#queue.add(queued);
      this.#probe();
    });
  }

  /** Any answer, an error included, shows that the store is there. */
  #onAnswer(): void {
    if (this.#isSilenceLogged) {
      this.#isSilenceLogged = false;
      this.#log.info("the store answers again", { silentMs: this.#silentMs() });
    }
    this.#unanswered = 0;
    this.#probeMs = PROBE_INTERVAL_MS.first;
    if (this.#queue.size === 0) return;
    const queue = [...this.#queue];
    this.#queue.clear();
    for (const { send } of queue) send();
  }

  #logSilence(): void {
    if (this.#isSilenceLogged) return;
    this.#isSilenceLogged = true;
    this.#log.warn("the store does not answer: requests wait, and fail after 4.5 s", {
      silentMs: this.#silentMs(),
      unanswered: this.#unanswered,
    });
  }

  #silentMs(): number {
    return Math.round(monotonicNow(this.#runtime) - this.#silentSince);
  }
}
