import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  createContentSealer,
  openContentCipher,
  resealDigestKey,
} from "../encryption/content_cipher.ts";
import { readEncryptionKeyIds, retireEncryptionKeys } from "../encryption/encryption_keys.ts";
import { CorruptRecordError } from "../values/record.ts";
import { IDEMPOTENCY_PURPOSE, resealIdempotencyRecords } from "../idempotency_store.ts";
import { resealRunLogs } from "./reseal_run_logs.ts";
import { resealTranscripts } from "./reseal_transcripts.ts";
import { ResealPendingError, type ResealStep, type ResealTask } from "../encryption/reseal_task.ts";
import { resealSecrets, SECRETS_PURPOSE } from "../credentials/secret_store.ts";
import { CONNECTIONS_PURPOSE, resealConnections } from "../providers/connection_store.ts";

/** Values under way at once: each takes at most 64 KiB, and commits wait for the store, not for us. */
const CONCURRENCY = 16;
/** A value that changes while it is encrypted anew is tried so often; then the next pass has it. */
const MAX_TRIES = 5;
/** Passes over the store. The second finds what was written while the first went on. */
const MAX_PASSES = 5;

/** What was done, by kind, in values. */
export interface ReencryptionReport {
  /** Encrypted anew under the first key. */
  changed: Record<string, number>;
  /** Under a key that is missing, or changed by somebody: left as it is. */
  unreadable: Record<string, number>;
  /** Written by runs that go on, and not under the first key yet. */
  pending: number;
  /** Ids of keys under which there is no value any more: they may be dropped. */
  retired: string[];
}

/**
 * Encrypts everything under the first of the encryption keys: what is under the others, and what was
 * stored before it was encrypted at all. May be stopped and run again, also beside a service and beside
 * itself: each value is changed in a step of its own, and what is done is passed over.
 */
export class Reencryption {
  readonly #kv: Deno.Kv;
  readonly #encryptionKeys: readonly string[];
  readonly #runtime: Pick<Runtime, "now" | "randomBytes">;

  constructor(
    kv: Deno.Kv,
    options: { encryptionKeys: readonly string[]; runtime: Pick<Runtime, "now" | "randomBytes"> },
  ) {
    this.#kv = kv;
    this.#encryptionKeys = options.encryptionKeys;
    this.#runtime = options.runtime;
  }

  /** `forget` gives up what does not decrypt: a start no longer asks for its key. */
  async run({ forget = false } = {}): Promise<ReencryptionReport> {
    const [first] = encryptionKeyIds(this.#encryptionKeys);
    const used = await readEncryptionKeyIds(this.#kv);
    const all = await this.#tasks();
    const changed: Record<string, number> = {};
    let pass = await this.#runPass(all, changed);
    for (let n = 1; n < MAX_PASSES && pass.changed + pass.pending > 0; n++) {
      pass = await this.#runPass(all, changed);
    }
    const { unreadable, pending } = pass;
    const isDone = pass.changed + pending === 0;
    const isWhole = Object.keys(unreadable).length === 0;
    const retired = isDone && (isWhole || forget) ? used.filter((id) => id !== first) : [];
    if (retired.length > 0) await retireEncryptionKeys(this.#kv, retired);
    return { changed, unreadable, pending, retired };
  }

  async #tasks(): Promise<ResealTask[]> {
    const kv = this.#kv;
    const { now, randomBytes } = this.#runtime;
    const sealer = (purpose: string) => new Sealer(this.#encryptionKeys, { purpose, randomBytes });
    const ofContent = createContentSealer(this.#encryptionKeys, randomBytes);
    const content = await openContentCipher(kv, { sealer: ofContent, randomBytes });
    await resealDigestKey(kv, ofContent);
    const parts = { kv, content, now };
    return [
      resealSecrets(sealer(SECRETS_PURPOSE)),
      resealConnections(sealer(CONNECTIONS_PURPOSE)),
      resealIdempotencyRecords(sealer(IDEMPOTENCY_PURPOSE), parts),
      ...resealRunLogs(parts),
      ...resealTranscripts(parts),
    ];
  }

  async #runPass(all: readonly ResealTask[], counts: Record<string, number>): Promise<PassResult> {
    const pass: PassResult = { changed: 0, unreadable: {}, pending: 0 };
    for (const resealing of all) {
      const { kind } = resealing;
      for await (const entries of inBatches(this.#kv, resealing.prefix)) {
        const done = await Promise.all(entries.map((one) => this.#reseal(resealing, one)));
        for (const { changed, outcome } of done) {
          pass.changed += changed;
          if (changed > 0) counts[kind] = (counts[kind] ?? 0) + changed;
          if (outcome === "pending") pass.pending++;
          if (outcome === "unreadable") pass.unreadable[kind] = (pass.unreadable[kind] ?? 0) + 1;
        }
      }
    }
    return pass;
  }

  async #reseal(resealing: ResealTask, read: Deno.KvEntry<unknown>): Promise<ResealOutcome> {
    let changed = 0;
    let entry = read;
    for (let tries = MAX_TRIES; tries > 0; tries--) {
      let isAsRead = true;
      try {
        for await (const resealed of resealing.reseal(entry)) {
          if (await this.#commit(resealed)) changed++;
          else isAsRead = false;
        }
      } catch (error) {
        const isUnreadable = error instanceof UnsealError || error instanceof CorruptRecordError;
        if (isUnreadable) return { changed, outcome: "unreadable" };
        if (error instanceof ResealPendingError) return { changed, outcome: "pending" };
        throw error;
      }
      if (isAsRead) return { changed, outcome: "done" };
      const again = await this.#kv.get(entry.key);
      if (again.versionstamp === null) return { changed, outcome: "done" };
      entry = again;
    }
    return { changed, outcome: "pending" };
  }

  async #commit({ entry, write }: ResealStep): Promise<boolean> {
    const step = this.#kv.atomic().check(entry);
    write(step);
    return (await step.commit()).ok;
  }
}

interface PassResult {
  changed: number;
  unreadable: Record<string, number>;
  pending: number;
}

interface ResealOutcome {
  changed: number;
  outcome: "done" | "unreadable" | "pending";
}

/** All entries under a prefix, a few at a time. */
async function* inBatches(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
): AsyncGenerator<Deno.KvEntry<unknown>[]> {
  let group: Deno.KvEntry<unknown>[] = [];
  for await (const entry of kv.list<unknown>({ prefix }, { batchSize: CONCURRENCY })) {
    group.push(entry);
    if (group.length < CONCURRENCY) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
