type ToStored = (key: Deno.KvKey, value: unknown) => unknown;

/** An atomic operation that stores values as `toStored` makes them; everything else is passed through. */
export class EncodedAtomic implements Deno.AtomicOperation {
  readonly #atomic: Deno.AtomicOperation;
  readonly #toStored: ToStored;

  constructor(atomic: Deno.AtomicOperation, toStored: ToStored) {
    this.#atomic = atomic;
    this.#toStored = toStored;
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): this {
    this.#atomic.set(key, this.#toStored(key, value), options);
    return this;
  }

  mutate(...mutations: Deno.KvMutation[]): this {
    this.#atomic.mutate(
      ...mutations.map((one) =>
        one.type === "set" ? { ...one, value: this.#toStored(one.key, one.value) } : one
      ),
    );
    return this;
  }

  check(...checks: Deno.AtomicCheck[]): this {
    this.#atomic.check(...checks);
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.#atomic.delete(key);
    return this;
  }

  sum(key: Deno.KvKey, n: bigint): this {
    this.#atomic.sum(key, n);
    return this;
  }

  min(key: Deno.KvKey, n: bigint): this {
    this.#atomic.min(key, n);
    return this;
  }

  max(key: Deno.KvKey, n: bigint): this {
    this.#atomic.max(key, n);
    return this;
  }

  enqueue(...of: Parameters<Deno.AtomicOperation["enqueue"]>): this {
    this.#atomic.enqueue(...of);
    return this;
  }

  commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    return this.#atomic.commit();
  }
}
