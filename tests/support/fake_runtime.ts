import type { Runtime } from "@/lib/platform/runtime.ts";

interface Sleeper {
  due: number;
  wake: () => void;
}

/**
 * A deterministic runtime: the test moves the clock, and ids and random bytes are sequential. Its
 * methods can be used without their object.
 */
export class FakeRuntime implements Runtime {
  #now: number;
  #drawn = 0;
  #byte = 0;
  #sleepers = new Set<Sleeper>();

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#now = start;
  }

  readonly now = () => this.#now;

  /** `00000000-0000-4000-8000-000000000001`, then `…2`, and so on. */
  readonly uuid = () => fakeUuid(++this.#drawn);

  /** Bytes of a counter: every call returns different ones, and 256 of them contain each value once. */
  readonly randomBytes = (n: number) => Uint8Array.from({ length: n }, () => this.#nextByte());

  /** The shift after each 256 keeps long values, such as tokens, from repeating. */
  #nextByte(): number {
    const index = this.#byte++;
    return index * 91 + (index >> 8) * 57;
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { due: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal?.addEventListener("abort", () => {
      if (this.#sleepers.delete(sleeper)) reject(signal.reason);
    }, { once: true });
    return promise;
  };

  /** Number of pending sleeps. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Moves the clock and wakes sleepers in order, flushing microtasks after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await flushMicrotasks();
    while (true) {
      const [next] = [...this.#sleepers].filter((s) => s.due <= end).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.#now = next.due;
      this.#sleepers.delete(next);
      next.wake();
      await flushMicrotasks();
    }
    this.#now = end;
  }
}

/** A valid UUID with `n` in its last digits. */
export function fakeUuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** Waits until promise chains without outside dependencies have settled. */
export async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}
