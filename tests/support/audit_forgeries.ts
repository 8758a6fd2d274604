import { AuditExport } from "@/lib/services/audit/audit_export.ts";
import { type AuditLink, chainOf, emptyHead } from "@/lib/store/audit/audit_chain.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import type { AuditChainFixture } from "./audit_chain.ts";

/** The id of the key that the service signs with. */
export function keyOf({ signing }: AuditChainFixture): string {
  return signing.signer.jwk.kid;
}

export function signedHeadRows(
  { kv, tenant }: AuditChainFixture,
): Promise<Deno.KvEntry<unknown>[]> {
  return Array.fromAsync(kv.list({ prefix: keys.signedAuditHeads(tenant) }));
}

/** Writes the chain again over changed links, and sets its head, as somebody without the key can. */
export async function rechain(
  log: AuditChainFixture,
  change: (link: AuditLink, sequence: number) => AuditLink,
): Promise<void> {
  let { sequence, chain } = emptyHead(log.tenant);
  for (const { key, value } of await log.links()) {
    sequence = Number(key[2]);
    const { chain: _, ...link } = change(value, sequence);
    chain = chainOf(chain, link, sequence);
    await log.kv.set(key, { ...link, chain });
  }
  await log.kv.set(keys.auditHead(log.tenant), { v: 1, sequence, chain });
}

/** Deletes the first entries with their links. */
export async function removeEntries(log: AuditChainFixture, count: number): Promise<void> {
  for (const { key, value: { at, id } } of (await log.links()).slice(0, count)) {
    await log.kv.delete(key);
    await log.kv.delete(keys.auditEntry(log.tenant, at, id));
  }
}

/** A download of the whole log that is read as slowly as the caller reads it. */
export function download(log: AuditChainFixture): AsyncGenerator<string> {
  const query = { format: "jsonl", filter: {}, filters: {} } as const;
  return new AuditExport(log).lines(log.tenant, query);
}

/** The lines of a download as objects. */
// deno-lint-ignore no-explicit-any -- lines of any type, which the tests forge
export async function exportedLines(log: AuditChainFixture): Promise<Record<string, any>[]> {
  return (await Array.fromAsync(download(log))).map((line) => JSON.parse(line));
}
