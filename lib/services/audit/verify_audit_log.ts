import type { Ed25519Jwk } from "../../platform/crypto/ed25519.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { AuditEntry } from "../../store/audit/audit_entry.ts";
import {
  type AuditHead,
  emptyHead,
  queuedEntrySchema,
  type SignedHead,
} from "../../store/audit/audit_chain.ts";
import type { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import { walkAuditLog } from "../../store/audit/walk_audit_log.ts";
import { keys } from "../../store/keys/keys.ts";
import { CorruptRecordError, parseRecord } from "../../store/values/record.ts";
import type { AuditReport } from "./audit_report.ts";
import { actorOf, ChainCheck, hasHash } from "./check_chain.ts";
import { checkSignedHeads, checkTrust } from "./check_signed_heads.ts";
import { LaterLinks } from "./later_links.ts";

/** An entry of an earlier release is found within an hour, and then chained. */
const UNCHAINED_MS = 2 * 60 * 60_000;

export interface VerifyAuditOptions {
  kv: Deno.Kv;
  chains: AuditChainStore;
  runtime: Pick<Runtime, "now">;
  /** The public keys of the installation. */
  keys: readonly Ed25519Jwk[];
  /** The ids of keys that the caller trusts; by default those of the store. */
  trusted?: readonly string[] | undefined;
}

/**
 * Checks an audit log against its chain, and the chain against the signed heads. Reads the log in parts,
 * while entries may be added to it.
 */
export async function verifyAuditLog(
  log: string,
  options: VerifyAuditOptions,
): Promise<AuditReport> {
  const check = new ChainCheck(log, { now: options.runtime.now() });
  try {
    await verify(check, options);
  } catch (error) {
    if (!(error instanceof CorruptRecordError)) throw error;
    check.fail({ sequence: check.sequence + 1 }, error.message);
  }
  return check.report;
}

async function verify(check: ChainCheck, options: VerifyAuditOptions): Promise<void> {
  const { kv, chains } = options;
  const { log } = check.report;
  // Before the head: what is chained meanwhile is in this list, or below the head.
  const waiting = await queuedNames(kv, log);
  const [checkpoint, signedHeads] = await Promise.all([
    chains.checkpoint(log),
    chains.signedHeads(log),
  ]);
  const head = await chains.head(log);
  check.begin(checkpoint ?? emptyHead(log), signedHeads);
  checkSignedHeads(check, { ...options, signedHeads, checkpoint });
  const { sequence: after } = check;
  const until = head?.sequence ?? after;
  const later = new LaterLinks(kv, { log, after: until });
  for await (const one of walkAuditLog(kv, log, { after, until })) {
    if (one.sequence !== undefined) check.add(one.sequence, one.link, one.value);
    else await checkUnchained(check, { ...options, ...one, waiting, later });
  }
  checkTrust(check, options.trusted);
  await checkEnd(check, { chains, head, signedHeads, later });
  await checkQueue(check, { kv, waiting, later });
}

async function queuedNames(kv: Deno.Kv, log: string): Promise<Set<string>> {
  const names = new Set<string>();
  const rows = kv.list({ prefix: keys.auditQueue(log) }, { batchSize: 500 });
  for await (const { key } of rows) names.add(`${String(key[2])} ${String(key[3])}`);
  return names;
}

/** An entry that no link up to `until` is for. */
async function checkUnchained(
  check: ChainCheck,
  { kv, runtime, at, id, value, waiting, later }: VerifyAuditOptions & {
    at: number;
    id: string;
    value: unknown;
    waiting: ReadonlySet<string>;
    later: LaterLinks;
  },
): Promise<void> {
  const { log } = check.report;
  const isWaiting = waiting.has(`${at} ${id}`) || at > runtime.now() - UNCHAINED_MS ||
    await isQueued(kv, { log, at, id }) || await later.has(id);
  if (isWaiting) {
    check.report.waiting++;
    return;
  }
  const { kind, action } = (value ?? {}) as Partial<AuditEntry>;
  const known = { actor: actorOf(value), ...kind && { kind }, ...action && { action } };
  const place = Number.isNaN(at) ? { order: 0 } : { at, order: at };
  const reason = "the entry has no link: the service did not write it";
  check.fail({ ...known, ...place }, reason, value);
}

async function isQueued(
  kv: Deno.Kv,
  { log, at, id }: { log: string; at: number; id: string },
): Promise<boolean> {
  return (await kv.get(keys.auditQueued(log, at, id))).versionstamp !== null;
}

async function checkEnd(
  check: ChainCheck,
  { chains, head, signedHeads, later }: {
    chains: AuditChainStore;
    head: AuditHead | undefined;
    signedHeads: readonly SignedHead[];
    later: LaterLinks;
  },
): Promise<void> {
  const until = head?.sequence ?? check.sequence;
  check.expectEnd(until);
  if (head !== undefined && check.sequence === until && head.chain !== check.chain) {
    check.fail({ sequence: until }, "the head of the chain was changed");
  }
  const beyond = signedHeads.find(({ sequence }) => sequence > until);
  if (beyond !== undefined) {
    const { sequence, at } = beyond;
    const day = new Date(at).toISOString().slice(0, 10);
    const reason =
      `the log ends before this entry, but it had ${sequence} when it was signed on ${day}`;
    return check.fail({ sequence: until + 1 }, reason);
  }
  // Read before the head, which is never behind its links.
  const last = await later.last();
  const { sequence = 0 } = await chains.head(check.report.log) ?? {};
  if (last > sequence) {
    check.fail({ sequence: sequence + 1 }, "the head of the chain was set back before this entry");
  }
}

/** Entries that wait to be chained must be what they were when they were written. */
async function checkQueue(
  check: ChainCheck,
  { kv, waiting, later }: { kv: Deno.Kv; waiting: ReadonlySet<string>; later: LaterLinks },
): Promise<void> {
  const { log } = check.report;
  for (const name of waiting) {
    const [time, id = ""] = name.split(" ");
    const at = Number(time);
    const [row, entry] = await kv.getMany([
      keys.auditQueued(log, at, id),
      keys.auditEntry(log, at, id),
    ]);
    const queued = parseRecord(queuedEntrySchema, row);
    if (queued === undefined) continue;
    if (await later.has(id)) continue;
    if (entry.versionstamp === null) {
      check.fail({ at, ...queued }, "the entry was removed before it was chained");
    } else if (!hasHash(entry.value, queued.hash)) {
      check.fail({ at, ...queued }, "the entry was changed before it was chained", entry.value);
    }
  }
}
