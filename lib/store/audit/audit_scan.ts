import { z } from "zod";
import type { IsDue } from "../tenants/tenant_data.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { auditHeadSchema, auditLinkSchema } from "./audit_chain.ts";
import { type AuditEntry, auditRecordSchema } from "./audit_entry.ts";
import { auditIndexKeys } from "./audit_index.ts";
import { toQueued } from "./audit_record.ts";
import { auditRetentionMs } from "./audit_retention.ts";

/** How far a scan goes back behind the previous one: no commit takes longer, and clocks differ. */
const OVERLAP_MS = 60 * 60_000;
/** Up to six writes each. */
const ENTRIES_PER_STEP = 50;
const MAX_TRIES = 20;

/** Entries since `from` have links after `sequence`, if they have one. */
const scanSchema = z.object({ v: z.literal(1), from: z.int(), sequence: z.int().nonnegative() });

/** What a scan compares entries with. */
interface Links {
  head: Deno.KvEntryMaybe<unknown>;
  ids: ReadonlySet<string>;
  /** Before the first link of an entry of the last hour. */
  sequence: number;
}

/**
 * Queues entries that have neither a link nor a place in the queue: those of an earlier release, which may
 * run beside this one, and those of the time before there was a chain. Returns how many it found. Ends
 * early if the rest is to be left to a later scan.
 */
export async function queueUnchained(
  kv: Deno.Kv,
  { tenant, now, isDue = () => false }: { tenant: string; now: number; isDue?: IsDue },
): Promise<number> {
  const [scanEntry, tenantEntry] = await kv.getMany([keys.auditScan(tenant), keys.tenant(tenant)]);
  const scan = parseRecord(scanSchema, scanEntry) ?? { from: 0, sequence: 0 };
  const until = now - OVERLAP_MS;
  let found = 0;
  let next = scan.from;
  for (let n = 0; n < MAX_TRIES; n++) {
    const links = await readLinks(kv, { tenant, ...scan, until });
    const result = await queueSince(kv, { tenant, from: next, links, now, isDue });
    found += result.found;
    next = result.next;
    if (isDue()) return found;
    if (!result.isComplete) continue;
    // After the clock was set back, these entries may have links anywhere in the chain.
    const sequence = until < scan.from ? 0 : links.sequence;
    const value = { v: 1, from: Math.max(0, until), sequence };
    // Not for a tenant that was deleted meanwhile.
    await kv.atomic().check(scanEntry, tenantEntry).set(scanEntry.key, value).commit();
    return found;
  }
  throw new Error("the audit log was chained faster than it could be scanned");
}

async function readLinks(
  kv: Deno.Kv,
  { tenant, from, sequence, until }: {
    tenant: string;
    from: number;
    sequence: number;
    until: number;
  },
): Promise<Links> {
  // Before the links: the step that queues checks that none were added since.
  const head = await kv.get(keys.auditHead(tenant));
  const ids = new Set<string>();
  let last = parseRecord(auditHeadSchema, head)?.sequence ?? 0;
  const prefix = keys.auditLinks(tenant);
  const links = kv.list({ prefix, start: [...prefix, sequence + 1] }, { batchSize: 500 });
  for await (const row of links) {
    const { at, id } = parseRecord(auditLinkSchema, row)!;
    if (at >= from) ids.add(id);
    if (at >= until) last = Math.min(last, Number(row.key[2]) - 1);
  }
  return { head, ids, sequence: last };
}

async function queueSince(
  kv: Deno.Kv,
  { tenant, from, links, now, isDue }: {
    tenant: string;
    from: number;
    links: Links;
    now: number;
    isDue: IsDue;
  },
): Promise<{ found: number; next: number; isComplete: boolean }> {
  const prefix = keys.auditEntries(tenant);
  const rows = kv.list({ prefix, start: [...prefix, from] }, { batchSize: 200 });
  let found = 0;
  let next = from;
  let batch: AuditEntry[] = [];
  for await (const row of rows) {
    if (links.ids.has(parseRecord(auditRecordSchema, row)!.id)) continue;
    // As it is stored: a later release may have written more fields.
    batch.push(row.value as AuditEntry);
    if (batch.length < ENTRIES_PER_STEP) continue;
    if (isDue()) return { found, next, isComplete: false };
    const queued = await queue(kv, { tenant, entries: batch, links, now });
    if (queued === undefined) return { found, next, isComplete: false };
    found += queued;
    // Entries of one time may be in the next batch too.
    next = batch.at(-1)!.at;
    batch = [];
  }
  const queued = await queue(kv, { tenant, entries: batch, links, now });
  if (queued === undefined) return { found, next, isComplete: false };
  return { found: found + queued, next, isComplete: true };
}

/** Returns how many had no place in the queue; `undefined` if links were added meanwhile. */
async function queue(
  kv: Deno.Kv,
  { tenant, entries, links, now }: {
    tenant: string;
    entries: readonly AuditEntry[];
    links: Links;
    now: number;
  },
): Promise<number | undefined> {
  const missing: AuditEntry[] = [];
  for (let n = 0; n < entries.length; n += 10) {
    const part = entries.slice(n, n + 10);
    const rows = await kv.getMany(part.map(({ at, id }) => keys.auditQueued(tenant, at, id)));
    missing.push(...part.filter((_entry, i) => rows[i]!.versionstamp === null));
  }
  if (missing.length === 0) return 0;
  const step = kv.atomic().check(links.head);
  for (const entry of missing) addToQueue(step, { tenant, entry, now });
  return (await step.commit()).ok ? missing.length : undefined;
}

/** With the index rows that earlier releases did not write. */
function addToQueue(
  step: Deno.AtomicOperation,
  { tenant, entry, now }: { tenant: string; entry: AuditEntry; now: number },
): void {
  const { at, id } = entry;
  const exp = entry.exp ?? at + auditRetentionMs(entry);
  const expireIn = Math.max(1, exp - now);
  step.set(keys.auditQueued(tenant, at, id), { ...toQueued(entry, exp), late: true });
  for (const key of auditIndexKeys(tenant, entry)) step.set(key, { exp }, { expireIn });
}
