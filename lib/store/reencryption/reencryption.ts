import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { resealSecrets, SECRETS_PURPOSE } from "../credentials/secret_store.ts";
import {
  createContentSealer,
  openContentCipher,
  resealDigestKey,
} from "../encryption/content_cipher.ts";
import { readEncryptionKeyIds, retireEncryptionKeys } from "../encryption/encryption_keys.ts";
import { ResealPendingError, type ResealStep, type ResealTask } from "../encryption/reseal_task.ts";
import { IDEMPOTENCY_PURPOSE, resealIdempotencyRecords } from "../idempotency_store.ts";
import { CONNECTIONS_PURPOSE, resealConnections } from "../providers/connection_store.ts";
import { CorruptRecordError } from "../values/record.ts";
import { resealRunLogs } from "./reseal_run_logs.ts";
import { resealTranscripts } from "./reseal_transcripts.ts";

/** Values processed concurrently: each is at most 64 KiB, and commits mostly wait for the store. */
const CONCURRENCY = 16;
/** Attempts for a value that keeps changing; then the next pass handles it. */
const MAX_TRIES = 5;
/** Passes over the store. The second one finds what was written during the first. */
const MAX_PASSES = 5;

/** Numbers of values by kind. */
export interface ReencryptionReport {
  /** Encrypted with the first key. */
  changed: Record<string, number>;
  /** Left as they are: sealed with a missing key, or manipulated. */
  unreadable: Record<string, number>;
  /** Written by active runs, and not sealed with the first key yet. */
  pending: number;
  /** Ids of keys that no value is sealed with: they may be removed. */
  retired: string[];
}

/**
 * Encrypts every value with the first of the encryption keys, including values of releases without
 * encryption. May be stopped and repeated, and run next to a service or another run: each value is changed
 * in a step of its own, and current values are skipped.
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

  /** `forget` retires the keys of unreadable values too: the service starts without them again. */
  async run({ forget = false } = {}): Promise<ReencryptionReport> {
    const [first] = encryptionKeyIds(this.#encryptionKeys);
    const used = await readEncryptionKeyIds(this.#kv);
    const tasks = await this.#tasks();
    const changed: Record<string, number> = {};
    let pass = await this.#runPass(tasks, changed);
    for (let n = 1; n < MAX_PASSES && pass.changed + pass.pending > 0; n++) {
      pass = await this.#runPass(tasks, changed);
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
    const contentSealer = createContentSealer(this.#encryptionKeys, randomBytes);
    const content = await openContentCipher(kv, { sealer: contentSealer, randomBytes });
    await resealDigestKey(kv, contentSealer);
    const deps = { kv, content, now };
    return [
      resealSecrets(sealer(SECRETS_PURPOSE)),
      resealConnections(sealer(CONNECTIONS_PURPOSE)),
      resealIdempotencyRecords(sealer(IDEMPOTENCY_PURPOSE), deps),
      ...resealRunLogs(deps),
      ...resealTranscripts(deps),
    ];
  }

  async #runPass(
    tasks: readonly ResealTask[],
    counts: Record<string, number>,
  ): Promise<PassResult> {
    const pass: PassResult = { changed: 0, unreadable: {}, pending: 0 };
    for (const task of tasks) {
      const { kind } = task;
      for await (const entries of inBatches(this.#kv, task.prefix)) {
        const results = await Promise.all(entries.map((entry) => this.#reseal(task, entry)));
        for (const { changed, outcome } of results) {
          pass.changed += changed;
          if (changed > 0) counts[kind] = (counts[kind] ?? 0) + changed;
          if (outcome === "pending") pass.pending++;
          if (outcome === "unreadable") pass.unreadable[kind] = (pass.unreadable[kind] ?? 0) + 1;
        }
      }
    }
    return pass;
  }

  async #reseal(task: ResealTask, read: Deno.KvEntry<unknown>): Promise<ResealOutcome> {
    let changed = 0;
    let entry = read;
    for (let tries = MAX_TRIES; tries > 0; tries--) {
      let isUnchanged = true;
      try {
        for await (const step of task.reseal(entry)) {
          if (await this.#commit(step)) changed++;
          else isUnchanged = false;
        }
      } catch (error) {
        const isUnreadable = error instanceof UnsealError || error instanceof CorruptRecordError;
        if (isUnreadable) return { changed, outcome: "unreadable" };
        if (error instanceof ResealPendingError) return { changed, outcome: "pending" };
        throw error;
      }
      if (isUnchanged) return { changed, outcome: "done" };
      const fresh = await this.#kv.get(entry.key);
      if (fresh.versionstamp === null) return { changed, outcome: "done" };
      entry = fresh;
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

async function* inBatches(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
): AsyncGenerator<Deno.KvEntry<unknown>[]> {
  let batch: Deno.KvEntry<unknown>[] = [];
  for await (const entry of kv.list<unknown>({ prefix }, { batchSize: CONCURRENCY })) {
    batch.push(entry);
    if (batch.length < CONCURRENCY) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
