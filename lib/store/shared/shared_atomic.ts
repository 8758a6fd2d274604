import type { StoreCalls } from "./store_calls.ts";
import type { WireMutation } from "./store_messages.ts";
import { encodeWireValue } from "./wire_value.ts";

/** An atomic operation that another process commits. Invalid values throw where Deno KV does. */
export class SharedAtomic implements Deno.AtomicOperation {
  readonly #calls: StoreCalls;
  readonly #checks: Deno.AtomicCheck[] = [];
  readonly #mutations: WireMutation[] = [];

  constructor(calls: StoreCalls) {
    this.#calls = calls;
  }

  check(...checks: Deno.AtomicCheck[]): this {
    for (const { key, versionstamp } of checks) this.#checks.push({ key, versionstamp });
    return this;
  }

  mutate(...mutations: Deno.KvMutation[]): this {
    for (const mutation of mutations) this.#mutations.push(encodeMutation(mutation));
    return this;
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }): this {
    this.#mutations.push(encodeSet(key, value, options?.expireIn));
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.#mutations.push({ type: "delete", key });
    return this;
  }

  sum(key: Deno.KvKey, n: bigint): this {
    return this.mutate({ type: "sum", key, value: new Deno.KvU64(n) });
  }

  min(key: Deno.KvKey, n: bigint): this {
    return this.mutate({ type: "min", key, value: new Deno.KvU64(n) });
  }

  max(key: Deno.KvKey, n: bigint): this {
    return this.mutate({ type: "max", key, value: new Deno.KvU64(n) });
  }

  enqueue(): this {
    throw new Deno.errors.NotSupported("a shared store has no queues");
  }

  async commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    const [checks, mutations] = [this.#checks, this.#mutations];
    const versionstamp = await this.#calls.send({ op: "commit", checks, mutations });
    return versionstamp === null ? { ok: false } : { ok: true, versionstamp };
  }
}

/** Throws `TypeError` for an invalid expiry, or a value that cannot be cloned. */
export function encodeSet(
  key: Deno.KvKey,
  value: unknown,
  expireIn: number | undefined,
): WireMutation {
  if (expireIn !== undefined && (!Number.isInteger(expireIn) || expireIn < 0)) {
    throw new TypeError(`expireIn must be a non-negative integer: received ${expireIn}`);
  }
  return { type: "set", key, value: encodeWireValue(value), expireIn };
}

function encodeMutation(mutation: Deno.KvMutation): WireMutation {
  const { type, key } = mutation;
  if (type === "delete") {
    if ("value" in mutation && mutation.value) {
      throw new TypeError("Invalid mutation 'delete' with value");
    }
    return { type, key };
  }
  if (!["set", "sum", "min", "max"].includes(type)) throw new TypeError("Invalid mutation type");
  if (!Object.hasOwn(mutation, "value")) {
    throw new TypeError(`Invalid mutation '${type}' without value`);
  }
  if (type === "set") return encodeSet(key, mutation.value, mutation.expireIn);
  return { type, key, value: encodeWireValue(mutation.value) };
}
