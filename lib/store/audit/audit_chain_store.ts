import { AUDIT_RETENTION } from "../../schemas/limits.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { listRecords, parseRecord } from "../values/record.ts";
import {
  type AuditHead,
  auditHeadSchema,
  type AuditLink,
  auditLinkSchema,
  chainOf,
  emptyHead,
  type QueuedEntry,
  queuedEntrySchema,
  type SignedHead,
  signedHeadSchema,
} from "./audit_chain.ts";
import { auditRecordSchema } from "./audit_entry.ts";
import { auditIndexKeys } from "./audit_index.ts";
import { auditRetentionMs } from "./audit_retention.ts";

/** Links of one step: two writes each, of about 1,000 that a step takes. */
const LINKS_PER_STEP = 100;
/** The same, if entries are written again: one may have 50 KB, and a step takes 800. */
const REWRITTEN_PER_STEP = 12;
const KEYS_PER_READ = 10;
const KEYS_PER_DELETION = 400;
/** Rows that no version can read must not stop the others. */
const MAX_UNREADABLE = 1_000;

/** What one step did: `lost` if another process was faster. */
export interface AppendResult {
  state: "appended" | "empty" | "lost";
  /** Links that exist beyond the stored head: somebody has set it back. */
  isHeadWrong?: boolean;
}

type Queued = Deno.KvEntry<unknown> & { entry: QueuedEntry; at: number; id: string };

/** The chains of hashes over the audit logs. Any number of processes may append. */
export class AuditChainStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The first log after `previous` that has entries to chain. */
  async nextQueued(previous?: string): Promise<string | undefined> {
    // No tenant's id is between these two, and keys of the same tenant sort before the second.
    const start = previous === undefined ? [] : [`${previous}\0`];
    const prefix = keys.auditQueues();
    const selector = { prefix, start: [...prefix, ...start] };
    const rows = start.length === 0 ? { prefix } : selector;
    for await (const { key } of this.#kv.list(rows, { limit: 1 })) return String(key[1]);
    return undefined;
  }

  /**
   * Chains the next entries of a log in one step, which checks its head: of two processes one fails.
   * `days` is how long the log stores changes; an entry with another expiry gets the right one.
   */
  async append(
    tenant: string,
    days: number = AUDIT_RETENTION.defaultDays,
  ): Promise<AppendResult> {
    const isRewriting = days !== AUDIT_RETENTION.defaultDays;
    const limit = isRewriting ? REWRITTEN_PER_STEP : LINKS_PER_STEP;
    const headEntry = await this.#kv.get(keys.auditHead(tenant));
    const queued = await this.#queued(tenant, limit);
    if (queued.length === 0) return { state: "empty" };
    const stored = parseRecord(auditHeadSchema, headEntry) ?? emptyHead(tenant);
    const last = await this.#lastLink(tenant);
    const isHeadWrong = last !== undefined && last.sequence > stored.sequence;
    const head = isHeadWrong ? last : stored;
    const step = this.#kv.atomic()
      .check(headEntry)
      // Deleted with its tenant, for example.
      .check(queued[0]!)
      .check({ key: keys.auditLink(tenant, head.sequence + 1), versionstamp: null });
    if (isRewriting) await this.#setExpiries(step, { tenant, queued, days });
    const next = addLinks(step, { tenant, queued, head });
    step.set(headEntry.key, next);
    const { ok } = await step.commit();
    if (!ok) return { state: "lost" };
    return { state: "appended", ...isHeadWrong && { isHeadWrong } };
  }

  async head(tenant: string): Promise<AuditHead | undefined> {
    return parseRecord(auditHeadSchema, await this.#kv.get(keys.auditHead(tenant)));
  }

  /** The logs that have a chain. */
  async *logs(): AsyncGenerator<string> {
    for await (const { key } of this.#kv.list({ prefix: keys.auditHeads() })) yield String(key[1]);
  }

  /** Every signed head of a log, oldest first. */
  signedHeads(tenant: string): Promise<SignedHead[]> {
    return listRecords(this.#kv, keys.signedAuditHeads(tenant), signedHeadSchema);
  }

  async hasSignedHead(tenant: string, day: string): Promise<boolean> {
    return (await this.#kv.get(keys.signedAuditHead(tenant, day))).versionstamp !== null;
  }

  /** False if the day has a signed head already, or the log has another head by now. */
  async addSignedHead(tenant: string, day: string, head: SignedHead): Promise<boolean> {
    const key = keys.signedAuditHead(tenant, day);
    const stored = await this.#kv.get(keys.auditHead(tenant));
    // Deleted with its tenant; or it has grown, and is signed the next time.
    if (parseRecord(auditHeadSchema, stored)?.sequence !== head.sequence) return false;
    const step = this.#kv.atomic().check(stored, { key, versionstamp: null }).set(key, head);
    return (await step.commit()).ok;
  }

  async checkpoint(tenant: string): Promise<SignedHead | undefined> {
    return parseRecord(signedHeadSchema, await this.#kv.get(keys.auditCheckpoint(tenant)));
  }

  /** The links after a place. */
  async *linksAfter(
    tenant: string,
    sequence: number,
  ): AsyncGenerator<{ sequence: number; link: AuditLink }> {
    const prefix = keys.auditLinks(tenant);
    const selector = { prefix, start: [...prefix, sequence + 1] };
    for await (const row of this.#kv.list(selector, { batchSize: 500 })) {
      yield { sequence: Number(row.key[2]), link: parseRecord(auditLinkSchema, row)! };
    }
  }

  /** Whether the store still has the entry of a link. */
  async hasEntry(tenant: string, { at, id }: Pick<AuditLink, "at" | "id">): Promise<boolean> {
    return (await this.#kv.get(keys.auditEntry(tenant, at, id))).versionstamp !== null;
  }

  /** False if another process has stored one since `previous`, or the log was deleted. */
  async setCheckpoint(
    tenant: string,
    { previous, checkpoint }: { previous: SignedHead | undefined; checkpoint: SignedHead },
  ): Promise<boolean> {
    const [entry, link] = await this.#kv.getMany([
      keys.auditCheckpoint(tenant),
      keys.auditLink(tenant, checkpoint.sequence),
    ]);
    const stored = parseRecord(signedHeadSchema, entry);
    if (stored?.signature !== previous?.signature || link.versionstamp === null) return false;
    return (await this.#kv.atomic().check(entry, link).set(entry.key, checkpoint).commit()).ok;
  }

  /** Deletes the links up to a checkpoint, and the signed heads that they proved. Returns how many links. */
  async deleteUpTo(tenant: string, { sequence }: SignedHead): Promise<number> {
    const prefix = keys.auditLinks(tenant);
    const selector = { start: prefix, end: [...prefix, sequence + 1] };
    let deleted = 0;
    for (;;) {
      const rows = this.#kv.list(selector, { limit: KEYS_PER_DELETION });
      const found = await Array.fromAsync(rows, ({ key }) => key);
      if (found.length === 0) break;
      await this.#deleteAll(found);
      deleted += found.length;
    }
    const days = await Array.fromAsync(this.#kv.list({ prefix: keys.signedAuditHeads(tenant) }));
    const proven = days.filter((row) => parseRecord(signedHeadSchema, row)!.sequence <= sequence);
    for (let n = 0; n < proven.length; n += KEYS_PER_DELETION) {
      await this.#deleteAll(proven.slice(n, n + KEYS_PER_DELETION).map(({ key }) => key));
    }
    return deleted;
  }

  async #deleteAll(found: readonly Deno.KvKey[]): Promise<void> {
    const step = this.#kv.atomic();
    for (const key of found) step.delete(key);
    await step.commit();
  }

  async #queued(tenant: string, limit: number): Promise<Queued[]> {
    const rows = this.#kv.list(
      { prefix: keys.auditQueue(tenant) },
      { limit: limit + MAX_UNREADABLE, batchSize: limit },
    );
    const found: Queued[] = [];
    for await (const row of rows) {
      const [, , at, id] = row.key as [string, string, number, string];
      const { success, data } = queuedEntrySchema.safeParse(row.value);
      if (success) found.push({ ...row, at, id, entry: data });
      if (found.length === limit) break;
    }
    return found;
  }

  async #lastLink(tenant: string): Promise<AuditHead | undefined> {
    const prefix = keys.auditLinks(tenant);
    for await (const row of this.#kv.list({ prefix }, { limit: 1, reverse: true })) {
      const { chain } = parseRecord(auditLinkSchema, row)!;
      return { v: 1, sequence: Number(row.key[2]), chain };
    }
    return undefined;
  }

  /** Sets what expires when in the step that chains the entries; one that is gone stays so. */
  async #setExpiries(
    step: Deno.AtomicOperation,
    { tenant, queued, days }: { tenant: string; queued: Queued[]; days: number },
  ): Promise<void> {
    for (let n = 0; n < queued.length; n += KEYS_PER_READ) {
      const part = queued.slice(n, n + KEYS_PER_READ);
      const rows = await this.#kv.getMany(
        part.map(({ at, id }) => keys.auditEntry(tenant, at, id)),
      );
      for (const [i, row] of rows.entries()) {
        const entry = parseRecord(auditRecordSchema, row);
        const { at, entry: queuedEntry } = part[i]!;
        const exp = at + auditRetentionMs(queuedEntry, days);
        part[i]!.entry = { ...queuedEntry, expiresAt: exp };
        if (entry === undefined || exp === queuedEntry.expiresAt) continue;
        const options = { expireIn: Math.max(1, exp - this.#runtime.now()) };
        step.set(row.key, { ...row.value as object, exp }, options);
        for (const key of auditIndexKeys(tenant, entry)) step.set(key, { exp }, options);
      }
    }
  }
}

/** Adds a link for each entry to the step. Returns the new head. */
function addLinks(
  step: Deno.AtomicOperation,
  { tenant, queued, head }: { tenant: string; queued: readonly Queued[]; head: AuditHead },
): AuditHead {
  let { sequence, chain } = head;
  for (const { key, entry, at, id } of queued) {
    sequence++;
    const facts = { ...entry, at, id };
    chain = chainOf(chain, facts, sequence);
    const link: AuditLink = { ...facts, chain };
    step.set(keys.auditLink(tenant, sequence), link).delete(key);
  }
  return { v: 1, sequence, chain };
}
