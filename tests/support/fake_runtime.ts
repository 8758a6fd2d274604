import type { Runtime } from "@/lib/platform/runtime.ts";

interface Sleeper {
  due: number;
  wake: () => void;
}

/**
 * A world that stands still: the clock moves when a test moves it, ids and bytes follow from the
 * order they are drawn in. Its methods may be passed on without their object.
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

  /** A counter's bytes: every call answers others, and 256 of them hold each value once. */
  readonly randomBytes = (n: number) => Uint8Array.from({ length: n }, () => this.#byte++ * 91);

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

  /** How many sleeps are still waiting. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Moves the clock, waking sleepers in order; what each sets off has settled before the next. */
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

/** Lets chains of promises that wait for nothing outside run to their end. */
export async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}
