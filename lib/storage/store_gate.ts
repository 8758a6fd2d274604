import { StoreUnavailableError } from "../committer/operation.ts";
import type { Logger } from "../log.ts";
import { alarm, elapsed, type System } from "../system.ts";
import { keys } from "./keys.ts";

/** A store that has left all its calls unanswered for this long is sent no more of them, milliseconds. */
const SILENT_MS = 1_000;
/** A call that could not be sent fails after this many milliseconds. */
const HELD_MS = 4_500;
/** A silent store is asked by a read whether it is back: so long after the last call, then twice as long. */
const PROBE_MS = { first: 1_000, most: 60_000 };

export interface StoreGateOptions {
  system: Pick<System, "now" | "sleep">;
  log: Pick<Logger, "info" | "warn">;
  /** How long a call waits to be sent, milliseconds; 4,500 by default. */
  heldMs?: number | undefined;
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

interface Held {
  send(): void;
  fail(error: Error): void;
}

class StoreGate {
  readonly #system: StoreGateOptions["system"];
  readonly #log: StoreGateOptions["log"];
  readonly #heldMs: number;
  readonly #ask: () => Promise<unknown>;
  readonly #held = new Set<Held>();
  /** Calls that were sent since the store last answered any. */
  #unanswered = 0;
  /** When the first of them was sent. */
  #silentSince = 0;
  #sentAt = 0;
  #probeMs = PROBE_MS.first;
  #isToldSilent = false;

  constructor(
    { system, log, heldMs = HELD_MS, probe }: StoreGateOptions & { probe: () => Promise<unknown> },
  ) {
    this.#system = system;
    this.#log = log;
    this.#heldMs = heldMs;
    this.#ask = probe;
  }

  /** Calls are held back. */
  get isShut(): boolean {
    return this.#unanswered > 0 && elapsed(this.#system) - this.#silentSince >= SILENT_MS;
  }

  call<T>(send: () => Promise<T>): Promise<T> {
    return this.isShut ? this.#hold(send) : this.#send(send);
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    this.#sentAt = elapsed(this.#system);
    if (this.#unanswered++ === 0) this.#silentSince = this.#sentAt;
    try {
      return await send();
    } finally {
      this.#hear();
    }
  }

  /** None of the calls that are out may ever be answered, although the store is there. */
  #probe(): void {
    if (elapsed(this.#system) - this.#sentAt < this.#probeMs) return;
    this.#probeMs = Math.min(2 * this.#probeMs, PROBE_MS.most);
    this.#send(this.#ask).catch(() => {});
  }

  #hold<T>(send: () => Promise<T>): Promise<T> {
    this.#tellSilent();
    return new Promise<T>((resolve, reject) => {
      const held: Held = {
        send: () => {
          callOff();
          this.#send(send).then(resolve, reject);
        },
        fail: reject,
      };
      const callOff = alarm(this.#system, this.#heldMs, () => {
        if (this.#held.delete(held)) held.fail(new StoreUnavailableError("the store is silent"));
      });
      this.#held.add(held);
      this.#probe();
    });
  }

  /** An answer of any kind, also a refusal: the store is there. */
  #hear(): void {
    if (this.#isToldSilent) {
      this.#isToldSilent = false;
      this.#log.info("the store answers again", { silentMs: this.#silentMs() });
    }
    this.#unanswered = 0;
    this.#probeMs = PROBE_MS.first;
    if (this.#held.size === 0) return;
    const held = [...this.#held];
    this.#held.clear();
    for (const { send } of held) send();
  }

  #tellSilent(): void {
    if (this.#isToldSilent) return;
    this.#isToldSilent = true;
    this.#log.warn("the store does not answer: requests wait, and are refused after 4.5 s", {
      silentMs: this.#silentMs(),
      unanswered: this.#unanswered,
    });
  }

  #silentMs(): number {
    return Math.round(elapsed(this.#system) - this.#silentSince);
  }
}
