import { z } from "zod";
import type { Sealer } from "../platform/crypto/sealing.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { ResealTask } from "./encryption/reseal_task.ts";
import { keys } from "./keys/keys.ts";
import { chunkKeys, concatBytes, readChunks, splitChunks } from "./values/chunks.ts";
import { commitStep, CorruptRecordError, parseRecord } from "./values/record.ts";

/** The purpose of the sealer of idempotency records. */
export const IDEMPOTENCY_PURPOSE = "receipts";

const IDEMPOTENCY_TTL_MS = 24 * 60 * 60_000;
/** Garbage is collected this much later, so that no chunk expires before its record. */
const KEPT_AFTER_EXPIRY_MS = 5 * 60_000;

const recordSchema = z.object({
  v: z.literal(1),
  /** Milliseconds. This decides; `expireIn` only collects garbage. */
  exp: z.int(),
  /** The sealed response, or its first chunk. */
  sealed: z.instanceof(Uint8Array),
  /** The number of chunks under `keys.idempotencyRecordChunk`. */
  more: z.int().nonnegative(),
  /** The id of the API key that sent the request; absent in records of forms and of earlier releases. */
  apiKey: z.string().optional(),
});
type StoredRecord = z.infer<typeof recordSchema>;

const headSchema = z.object({
  /** Of the request. */
  fingerprint: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
});
/** The first response to a request, which repeated requests get again. */
export type IdempotencyRecord = z.infer<typeof headSchema> & { body: string };

/** The live record of a scope, if any, and the state of its key. */
export interface IdempotencyEntry {
  readonly scope: string;
  readonly record: IdempotencyRecord | undefined;
  /** Of the stored record, which may have expired. */
  readonly versionstamp: string | null;
  readonly chunks: number;
}

/**
 * The first responses to creating requests, for 24 hours. A record is added to the step that creates, so
 * that both are stored or neither. Sealed, because a response may hold a session's token, which is stored
 * nowhere else in clear.
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

  /** Throws `UnsealError` if the encryption key was changed: an error is better than creating twice. */
  async find(scope: string): Promise<IdempotencyEntry> {
    const stored = await this.#kv.get(keys.idempotencyRecord(scope));
    const record = parseRecord(recordSchema, stored);
    const entry = { scope, versionstamp: stored.versionstamp, chunks: record?.more ?? 0 };
    if (record === undefined || record.exp <= this.#runtime.now()) {
      return { ...entry, record: undefined };
    }
    const plain = await unsealRecord(this.#kv, { scope, record, sealer: this.#sealer });
    if (plain === undefined) throw new CorruptRecordError("a stored receipt has lost parts");
    return { ...entry, record: fromText(new TextDecoder().decode(plain)) };
  }

  /** Adds the record to `step`, which then fails if the scope was used since `entry` was read. */
  async add(
    step: Deno.AtomicOperation,
    { scope, versionstamp, chunks }: IdempotencyEntry,
    { apiKey, ...record }: IdempotencyRecord & { apiKey?: string },
  ): Promise<void> {
    const key = keys.idempotencyRecord(scope);
    const plain = new TextEncoder().encode(toText(record));
    const exp = this.#runtime.now() + IDEMPOTENCY_TTL_MS;
    const options = { expireIn: IDEMPOTENCY_TTL_MS + KEPT_AFTER_EXPIRY_MS };
    // Deletes the chunks of an expired record first: a later set of the same key wins.
    for (const old of restKeys(scope, chunks)) step.delete(old);
    setChunks(step.check({ key, versionstamp }), scope, {
      record: { v: 1, exp, ...apiKey !== undefined && { apiKey } },
      bytes: await this.#sealer.seal(plain, key),
      options,
    });
  }

  /** Stores an empty record; false if the scope has a live one. */
  async claim(scope: string): Promise<boolean> {
    const entry = await this.find(scope);
    if (entry.record !== undefined) return false;
    const step = this.#kv.atomic();
    await this.add(step, entry, { fingerprint: "", status: 204, headers: {}, body: "" });
    return await commitStep(step);
  }

  /** Releases a claim if nothing was created. */
  async release(scope: string): Promise<void> {
    await this.#kv.delete(keys.idempotencyRecord(scope));
  }
}

/** `now` in milliseconds. */
export function resealIdempotencyRecords(
  sealer: Sealer,
  { kv, now }: { kv: Deno.Kv; now: () => number },
): ResealTask {
  return {
    kind: "stored answers",
    prefix: keys.idempotencyRecords(),
    async *reseal(entry) {
      // Chunks are resealed with their record.
      if (entry.key.length > keys.idempotencyRecord("").length) return;
      const record = parseRecord(recordSchema, entry)!;
      if (sealer.isCurrent(record.sealed)) return;
      const scope = String(entry.key[1]);
      const plain = await unsealRecord(kv, { scope, record, sealer });
      if (plain === undefined) return;
      const bytes = await sealer.seal(plain, keys.idempotencyRecord(scope));
      const expireIn = Math.max(1, record.exp + KEPT_AFTER_EXPIRY_MS - now());
      yield {
        entry,
        write: (step) => setChunks(step, scope, { record, bytes, options: { expireIn } }),
      };
    },
  };
}

/** The plain bytes of a record; `undefined` if a chunk is missing. */
async function unsealRecord(
  kv: Deno.Kv,
  { scope, record, sealer }: { scope: string; record: StoredRecord; sealer: Sealer },
): Promise<Uint8Array | undefined> {
  const rest = await readChunks(kv, restKeys(scope, record.more));
  if (rest === undefined) return undefined;
  return await sealer.unseal(concatBytes([record.sealed, ...rest]), keys.idempotencyRecord(scope));
}

function setChunks(
  step: Deno.AtomicOperation,
  scope: string,
  { record, bytes, options }: {
    record: Pick<StoredRecord, "v" | "exp" | "apiKey">;
    bytes: Uint8Array;
    options: { expireIn: number };
  },
): void {
  const [sealed, ...rest] = splitChunks(bytes);
  step.set(keys.idempotencyRecord(scope), { ...record, sealed, more: rest.length }, options);
  restKeys(scope, rest.length).forEach((key, n) => step.set(key, rest[n], options));
}

/** The keys of the chunks after the first, numbered from 1. */
function restKeys(scope: string, count: number): Deno.KvKey[] {
  return chunkKeys(count, (n) => keys.idempotencyRecordChunk(scope, n + 1));
}

/** One line of JSON, then the unescaped body, which escaping could double in size. */
function toText({ body, ...head }: IdempotencyRecord): string {
  return `${JSON.stringify(head)}\n${body}`;
}

function fromText(text: string): IdempotencyRecord {
  const end = text.indexOf("\n");
  return { ...headSchema.parse(JSON.parse(text.slice(0, end))), body: text.slice(end + 1) };
}

/** The run that a chat's `Idempotency-Key` started. */
export const chatIdempotencySchema = z.object({
  v: z.literal(1),
  fingerprint: z.string(),
  runId: z.string(),
  /** The hash of the session's visitor; absent without one, and in records of early releases. */
  visitor: z.string().optional(),
  /** Milliseconds. This decides; `expireIn` only collects garbage. */
  exp: z.int(),
});

export type ChatIdempotencyRecord = z.infer<typeof chatIdempotencySchema>;

/** Prefix of a keyed fingerprint; early releases stored the digest alone. */
const KEYED_PREFIX = "keyed:";

/** A fingerprint from which a message cannot be guessed without the key. */
export function toKeyedFingerprint(digest: string, keyed: (digest: string) => string): string {
  return digest.startsWith(KEYED_PREFIX) ? digest : KEYED_PREFIX + keyed(digest);
}
