import { StoreUnavailableError } from "../committer/operation.ts";
import type { Logger } from "../log.ts";
import { alarm, elapsed, type System } from "../system.ts";

/** A store that has left all its calls unanswered for this long is sent no more of them, milliseconds. */
const SILENT_MS = 1_000;
/** A call that could not be sent fails after this many milliseconds. */
const HELD_MS = 4_500;

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
 * prints a line each time, and then makes also the writes that nobody waits for any more.
 */
export function withStoreGate(kv: Deno.Kv, options: StoreGateOptions): Deno.Kv {
  const gate = new StoreGate(options);
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
  readonly #held = new Set<Held>();
  #unanswered = 0;
  /** When the store last answered, or was first asked after a rest. */
  #heardAt = 0;
  #isToldSilent = false;

  constructor({ system, log, heldMs = HELD_MS }: StoreGateOptions) {
    this.#system = system;
    this.#log = log;
    this.#heldMs = heldMs;
  }

  /** Calls are held back. */
  get isShut(): boolean {
    return this.#unanswered > 0 && elapsed(this.#system) - this.#heardAt >= SILENT_MS;
  }

  call<T>(send: () => Promise<T>): Promise<T> {
    return this.isShut ? this.#hold(send) : this.#send(send);
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    if (this.#unanswered++ === 0) this.#heardAt = elapsed(this.#system);
    try {
      return await send();
    } finally {
      this.#unanswered--;
      this.#hear();
    }
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
    });
  }

  /** An answer of any kind, also a refusal: the store is there. */
  #hear(): void {
    const now = elapsed(this.#system);
    if (this.#isToldSilent) {
      this.#isToldSilent = false;
      this.#log.info("the store answers again", { silentMs: Math.round(now - this.#heardAt) });
    }
    this.#heardAt = now;
    if (this.#held.size === 0) return;
    const held = [...this.#held];
    this.#held.clear();
    for (const { send } of held) send();
  }

  #tellSilent(): void {
    if (this.#isToldSilent) return;
    this.#isToldSilent = true;
    const silentMs = Math.round(elapsed(this.#system) - this.#heardAt);
    this.#log.warn("the store does not answer: requests wait, and are refused after 4.5 s", {
      silentMs,
      unanswered: this.#unanswered,
    });
  }
}
