import { z } from "zod";
import type { Sealer } from "../platform/crypto/sealing.ts";
import type { Runtime } from "../platform/runtime.ts";
import { keys } from "./keys/keys.ts";
import { joinChunks, readChunks, splitChunks } from "./values/chunks.ts";
import { commitStep, CorruptRecordError, parseRecord } from "./values/record.ts";
import type { ResealTask } from "./encryption/reseal_task.ts";

/** What the sealer of this store is made for. */
export const IDEMPOTENCY_PURPOSE = "receipts";

const IDEMPOTENCY_TTL_MS = 24 * 60 * 60_000;
/** Garbage is collected this much later, so that no part goes before its record has lapsed. */
const KEPT_AFTER_EXPIRY_MS = 5 * 60_000;

const recordSchema = z.object({
  v: z.literal(1),
  /** Milliseconds. Decides; `expireIn` only collects garbage. */
  exp: z.int(),
  /** The sealed receipt, or its first part. */
  sealed: z.instanceof(Uint8Array),
  /** How many parts follow under `keys.receiptPart`. */
  more: z.int().nonnegative(),
});

const headSchema = z.object({
  /** Of the request that was answered. */
  fingerprint: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
});
/** The first answer to a request, as it is given again. */
export type IdempotencyRecord = z.infer<typeof headSchema> & { body: string };

/** What stands under a scope: a live receipt, or the place where one may be put. */
export interface IdempotencyEntry {
  readonly scope: string;
  readonly record: IdempotencyRecord | undefined;
  /** Of what is stored there now, be it lapsed. */
  readonly versionstamp: string | null;
  readonly parts: number;
}

/**
 * Receipts of creating requests, for 24 hours. One is added to the very step that creates, so that
 * there is a receipt exactly where something was created. Sealed, because an answer may hold a
 * session's token, which stands nowhere else in clear.
 */
export class IdempotencyStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #sealer: Sealer;

  constructor(kv: Deno.Kv, options: { runtime: Runtime; sealer: Sealer }) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#sealer = options.sealer;
  }

  /** Throws `UnsealError` when the encryption key has been changed since: never a second creation. */
  async find(scope: string): Promise<IdempotencyEntry> {
    const entry = await this.#kv.get(keys.idempotencyRecord(scope));
    const record = parseRecord(recordSchema, entry);
    const place = { scope, versionstamp: entry.versionstamp, parts: record?.more ?? 0 };
    if (record === undefined || record.exp <= this.#runtime.now()) {
      return { ...place, record: undefined };
    }
    const rest = await readChunks(this.#kv, chunkKeys(scope, record.more));
    if (rest === undefined) throw new CorruptRecordError("a stored receipt has lost parts");
    const sealed = joinChunks([record.sealed, ...rest]);
    const plain = await this.#sealer.unseal(sealed, keys.idempotencyRecord(scope));
    return { ...place, record: fromText(new TextDecoder().decode(plain)) };
  }

  /** Adds the receipt to `change`, which then fails its checks if the place has been taken since. */
  async add(
    change: Deno.AtomicOperation,
    place: IdempotencyEntry,
    receipt: IdempotencyRecord,
  ): Promise<void> {
    const key = keys.idempotencyRecord(place.scope);
    const plain = new TextEncoder().encode(toText(receipt));
    const [sealed, ...rest] = splitChunks(await this.#sealer.seal(plain, key));
    const exp = this.#runtime.now() + IDEMPOTENCY_TTL_MS;
    const expiry = { expireIn: IDEMPOTENCY_TTL_MS + KEPT_AFTER_EXPIRY_MS };
    change
      .check({ key, versionstamp: place.versionstamp })
      .set(key, { v: 1, exp, sealed, more: rest.length }, expiry);
    // What is left over of a lapsed one goes first: a set of the same key after it stands.
    for (const old of chunkKeys(place.scope, place.parts)) change.delete(old);
    chunkKeys(place.scope, rest.length).forEach((part, n) => change.set(part, rest[n], expiry));
  }

  /** Puts an empty receipt there by itself; false when there is one. */
  async claim(scope: string): Promise<boolean> {
    const place = await this.find(scope);
    if (place.record !== undefined) return false;
    const change = this.#kv.atomic();
    await this.add(change, place, { fingerprint: "", status: 204, headers: {}, body: "" });
    return await commitStep(change);
  }

  /** Takes back what was claimed for something that then was not made. */
  async release(scope: string): Promise<void> {
    await this.#kv.delete(keys.idempotencyRecord(scope));
  }
}

/** Encrypts all receipts anew; `now` in milliseconds. */
export function resealIdempotencyRecords(
  sealer: Sealer,
  { kv, now }: { kv: Deno.Kv; now: () => number },
): ResealTask {
  return {
    kind: "stored answers",
    prefix: keys.idempotencyRecords(),
    async *reseal(entry) {
      // Its parts go with the record itself.
      if (entry.key.length > keys.idempotencyRecord("").length) return;
      const record = parseRecord(recordSchema, entry)!;
      if (sealer.isCurrent(record.sealed)) return;
      const scope = String(entry.key[1]);
      const rest = await readChunks(kv, chunkKeys(scope, record.more));
      if (rest === undefined) return;
      const plain = await sealer.unseal(
        joinChunks([record.sealed, ...rest]),
        keys.idempotencyRecord(scope),
      );
      const [sealed, ...more] = splitChunks(
        await sealer.seal(plain, keys.idempotencyRecord(scope)),
      );
      const expireIn = Math.max(1, record.exp + KEPT_AFTER_EXPIRY_MS - now());
      yield {
        entry,
        write(step) {
          step.set(entry.key, { ...record, sealed, more: more.length }, { expireIn });
          const places = chunkKeys(scope, more.length);
          places.forEach((key, n) => step.set(key, more[n], { expireIn }));
        },
      };
    },
  };
}

/** One line of JSON, then the body as it is: escaped once more it could be twice as long. */
function toText({ body, ...head }: IdempotencyRecord): string {
  return `${JSON.stringify(head)}\n${body}`;
}

function fromText(text: string): IdempotencyRecord {
  const end = text.indexOf("\n");
  return { ...headSchema.parse(JSON.parse(text.slice(0, end))), body: text.slice(end + 1) };
}

function chunkKeys(scope: string, count: number): Deno.KvKey[] {
  return Array.from({ length: count }, (_, n) => keys.idempotencyRecordChunk(scope, n + 1));
}

/** In front of a fingerprint that is keyed; earlier versions stored the digest alone. */
const KEYED_PREFIX = "keyed:";

/** Which run a chat's `Idempotency-Key` began. */
export const chatIdempotencySchema = z.object({
  v: z.literal(1),
  fingerprint: z.string(),
  runId: z.string(),
  /** Milliseconds; decides, `expireIn` only collects garbage. */
  exp: z.int(),
});

/** A fingerprint that nobody without the key can guess a message by. */
export function toKeyedFingerprint(digest: string, keyed: (digest: string) => string): string {
  return digest.startsWith(KEYED_PREFIX) ? digest : KEYED_PREFIX + keyed(digest);
}
