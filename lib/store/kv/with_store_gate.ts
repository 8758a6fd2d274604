import { StoreUnavailableError } from "../tx/operation.ts";
import type { Logger } from "../../platform/log.ts";
import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";

/** A store that has left all its calls unanswered for this long is sent no more of them, milliseconds. */
const SILENCE_THRESHOLD_MS = 1_000;
/** A call that could not be sent fails after this many milliseconds. */
const MAX_WAIT_MS = 4_500;
/** A silent store is asked by a read whether it is back: so long after the last call, then twice as long. */
const PROBE_INTERVAL_MS = { first: 1_000, most: 60_000 };

export interface StoreGateOptions {
  runtime: Pick<Runtime, "now" | "sleep">;
  log: Pick<Logger, "info" | "warn">;
  /** How long a call waits to be sent, milliseconds; 4,500 by default. */
  maxWaitMs?: number | undefined;
}

/**
 * The same store, which is sent no further calls while it is silent: they wait until it has answered one
 * of those that it has, and fail with `StoreUnavailableError` when that takes too long. Deno's client of a
 * KV server never gives up a call: it sends each one again four times a second until the server is back,
 * prints a line each time, and then makes also the writes that nobody waits for any more. A call can be
 * lost for good while the store is well, so calls that wait also make the gate send reads of its own, ever
 * more rarely.
 */
export function withStoreGate(kv: Deno.Kv, options: StoreGateOptions): Deno.Kv {
  const gate = new StoreGate({ ...options, probe: () => kv.get(keys.storeProbe("gate")) });
  const gated = {
    get: (...of: Parameters<Deno.Kv["get"]>) => gate.call(() => kv.get(...of)),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => gate.call(() => kv.getMany(...of)),
    set: (...of: Parameters<Deno.Kv["set"]>) => gate.call(() => kv.set(...of)),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => gate.call(() => kv.delete(...of)),
    list: (...of: Parameters<Deno.Kv["list"]>) => gatedList(kv.list(...of), gate),
    atomic() {
      const atomic = kv.atomic();
      const commit = atomic.commit.bind(atomic);
      return Object.assign(atomic, { commit: () => gate.call(commit) });
    },
  };
  return new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(gated, name)) return gated[name as keyof typeof gated];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Most rows come from a batch that is here already, and are not counted as calls. */
function gatedList<T>(list: Deno.KvListIterator<T>, gate: StoreGate): Deno.KvListIterator<T> {
  const rows = list[Symbol.asyncIterator]();
  let isBegun = false;
  return {
    get cursor() {
      return list.cursor;
    },
    next() {
      if (isBegun && !gate.isShut) return rows.next();
      isBegun = true;
      return gate.call(() => rows.next());
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  } as Deno.KvListIterator<T>;
}

interface QueuedCall {
  send(): void;
  fail(error: Error): void;
}

class StoreGate {
  readonly #runtime: StoreGateOptions["runtime"];
  readonly #log: StoreGateOptions["log"];
  readonly #maxWaitMs: number;
  readonly #sendProbe: () => Promise<unknown>;
  readonly #queue = new Set<QueuedCall>();
  /** Calls that were sent since the store last answered any. */
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

  /** Calls are held back. */
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

  /** None of the calls that are out may ever be answered, although the store is there. */
  #probe(): void {
    if (monotonicNow(this.#runtime) - this.#sentAt < this.#probeMs) return;
    this.#probeMs = Math.min(2 * this.#probeMs, PROBE_INTERVAL_MS.most);
    this.#send(this.#sendProbe).catch(() => {});
  }

  #enqueue<T>(send: () => Promise<T>): Promise<T> {
    this.#logSilence();
    return new Promise<T>((resolve, reject) => {
      const held: QueuedCall = {
        send: () => {
          callOff();
          this.#send(send).then(resolve, reject);
        },
        fail: reject,
      };
      const callOff = setTimer(this.#runtime, this.#maxWaitMs, () => {
        if (this.#queue.delete(held)) held.fail(new StoreUnavailableError("the store is silent"));
      });
      this.#queue.add(held);
      this.#probe();
    });
  }

  /** An answer of any kind, also a refusal: the store is there. */
  #onAnswer(): void {
    if (this.#isSilenceLogged) {
      this.#isSilenceLogged = false;
      this.#log.info("the store answers again", { silentMs: this.#silentMs() });
    }
    this.#unanswered = 0;
    this.#probeMs = PROBE_INTERVAL_MS.first;
    if (this.#queue.size === 0) return;
    const held = [...this.#queue];
    this.#queue.clear();
    for (const { send } of held) send();
  }

  #logSilence(): void {
    if (this.#isSilenceLogged) return;
    this.#isSilenceLogged = true;
    this.#log.warn("the store does not answer: requests wait, and are refused after 4.5 s", {
      silentMs: this.#silentMs(),
      unanswered: this.#unanswered,
    });
  }

  #silentMs(): number {
    return Math.round(monotonicNow(this.#runtime) - this.#silentSince);
  }
}
