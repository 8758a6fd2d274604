import { encryptionKeyIds } from "../../platform/crypto/encryption_key.ts";
import { Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  MCP_AUTHORIZATIONS_PURPOSE,
  resealMcpAuthorizations,
} from "../credentials/mcp_authorization_store.ts";
import { resealSecrets, SECRETS_PURPOSE } from "../credentials/secret_store.ts";
import {
  createContentSealer,
  openContentCipher,
  resealDigestKey,
} from "../encryption/content_cipher.ts";
import { readEncryptionKeyIds, retireEncryptionKeys } from "../encryption/encryption_keys.ts";
import { ResealPendingError, type ResealStep, type ResealTask } from "../encryption/reseal_task.ts";
import { IDEMPOTENCY_PURPOSE, resealIdempotencyRecords } from "../idempotency_store.ts";
import { OIDC_CONNECTIONS_PURPOSE, resealOidcConnections } from "../oidc/oidc_connection_store.ts";
import { FACTORS_PURPOSE, resealTotpSecrets } from "../users/totp_secrets.ts";
import { OIDC_SESSIONS_PURPOSE, resealOidcSessions } from "../oidc/oidc_session_store.ts";
import { CONNECTIONS_PURPOSE, resealConnections } from "../providers/connection_store.ts";
import { resealSigningKeys, SIGNING_PURPOSE } from "../signing/signing_keys.ts";
import { CorruptRecordError } from "../values/record.ts";
import { resealAttachments } from "./reseal_attachments.ts";
import { resealHandoffs } from "./reseal_handoffs.ts";
import { resealRehearsals } from "./reseal_rehearsals.ts";
import { resealRunLogs } from "./reseal_run_logs.ts";
import { resealTests } from "./reseal_tests.ts";
import { resealTranscripts } from "./reseal_transcripts.ts";
import { resealUnanswered } from "./reseal_unanswered.ts";
import { resealVisitors } from "./reseal_visitors.ts";

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
    for (let n = 1;; n++) {
      const { unreadable, pending, ...pass } = await this.#runPass(tasks);
      for (const [kind, count] of Object.entries(pass.changed)) increase(changed, kind, count);
      const isDone = pending === 0 && Object.keys(pass.changed).length === 0;
      if (!isDone && n < MAX_PASSES) continue;
      const isWhole = Object.keys(unreadable).length === 0;
      const retired = isDone && (isWhole || forget) ? used.filter((id) => id !== first) : [];
      if (retired.length > 0) await retireEncryptionKeys(this.#kv, retired);
      return { changed, unreadable, pending, retired };
    }
  }

  async #tasks(): Promise<ResealTask[]> {
    const kv = this.#kv;
    const { now, randomBytes } = this.#runtime;
    const sealer = (purpose: string) => new Sealer(this.#encryptionKeys, { purpose, randomBytes });
    const contentSealer = createContentSealer(this.#encryptionKeys, randomBytes);
    const content = await openContentCipher(kv, { sealer: contentSealer, randomBytes });
    await resealDigestKey(kv, contentSealer);
    await resealSigningKeys(kv, sealer(SIGNING_PURPOSE));
    const deps = { kv, content, now };
    return [
      resealSecrets(sealer(SECRETS_PURPOSE)),
      resealMcpAuthorizations(sealer(MCP_AUTHORIZATIONS_PURPOSE), now),
      resealTotpSecrets(sealer(FACTORS_PURPOSE)),
      resealOidcConnections(sealer(OIDC_CONNECTIONS_PURPOSE)),
      resealOidcSessions(sealer(OIDC_SESSIONS_PURPOSE), now),
      resealConnections(sealer(CONNECTIONS_PURPOSE)),
      resealIdempotencyRecords(sealer(IDEMPOTENCY_PURPOSE), deps),
      ...resealRunLogs(deps),
      ...resealTranscripts(deps),
      ...resealVisitors(deps),
      ...resealAttachments(deps),
      resealHandoffs(deps),
      resealRehearsals(deps),
      ...resealTests(deps),
      ...resealUnanswered(deps),
    ];
  }

  async #runPass(tasks: readonly ResealTask[]): Promise<PassResult> {
    const pass: PassResult = { changed: {}, unreadable: {}, pending: 0 };
    for (const task of tasks) {
      for await (const entries of inBatches(this.#kv, task.prefix)) {
        await Promise.all(entries.map((entry) => this.#reseal(task, { entry, pass })));
      }
    }
    return pass;
  }

  async #reseal(
    task: ResealTask,
    { entry, pass }: { entry: Deno.KvEntry<unknown>; pass: PassResult },
  ): Promise<void> {
    let current: Deno.KvEntryMaybe<unknown> = entry;
    try {
      for (let tries = MAX_TRIES; tries > 0; tries--) {
        let isUnchanged = true;
        for await (const step of task.reseal(current as Deno.KvEntry<unknown>)) {
          if (await this.#commit(step)) increase(pass.changed, task.kind);
          else isUnchanged = false;
        }
        if (isUnchanged) return;
        current = await this.#kv.get(entry.key);
        if (current.versionstamp === null) return;
      }
      pass.pending++;
    } catch (error) {
      if (error instanceof ResealPendingError) pass.pending++;
      else if (error instanceof UnsealError || error instanceof CorruptRecordError) {
        increase(pass.unreadable, task.kind);
      } else throw error;
    }
  }

  async #commit({ entry, write }: ResealStep): Promise<boolean> {
    const step = this.#kv.atomic().check(entry);
    write(step);
    return (await step.commit()).ok;
  }
}

type PassResult = Omit<ReencryptionReport, "retired">;

function increase(counts: Record<string, number>, kind: string, by = 1): void {
  counts[kind] = (counts[kind] ?? 0) + by;
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
