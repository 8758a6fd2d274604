import { Ed25519Verifier } from "../../platform/crypto/ed25519.ts";
import {
  type AuditHead,
  chainOf,
  emptyHead,
  type SignedHead,
  signedHeadText,
} from "../../store/audit/audit_chain.ts";
import { type SignAuditHeadDeps, signHead } from "./sign_audit_head.ts";

/** Links are needed to tell an expired entry from a deleted one; a month after both, they are not needed. */
const MARGIN_MS = 30 * 86_400_000;
/** Between a checkpoint and the deletion of the links before it: no download or verification takes longer. */
const READERS_MS = 86_400_000;

/**
 * Once a day deletes the links up to the last checkpoint, and stores the next one: the last of the oldest
 * links whose entries are gone, and have all expired a month ago. Returns how many it deleted.
 */
export async function pruneAuditLinks(deps: SignAuditHeadDeps, tenant: string): Promise<number> {
  const { chains, now } = deps;
  const previous = await chains.checkpoint(tenant);
  if (previous !== undefined) {
    if (Math.abs(now - previous.at) < READERS_MS) return 0;
    requireOwnCheckpoint(deps, tenant, previous);
  }
  const deleted = previous === undefined ? 0 : await chains.deleteUpTo(tenant, previous);
  const last = await findLastExpired(deps, { tenant, previous });
  if (last !== undefined) {
    const checkpoint = signHead(deps, { tenant, head: last, as: "checkpoint" });
    await chains.setCheckpoint(tenant, { previous, checkpoint });
  }
  return deleted;
}

/** Accepts only keys that this process can decrypt: anyone with write access to the store can add a key. */
function requireOwnCheckpoint(
  { signing }: SignAuditHeadDeps,
  tenant: string,
  checkpoint: SignedHead,
): void {
  const key = signing.own.find(({ kid }) => kid === checkpoint.keyId);
  const text = signedHeadText(tenant, checkpoint, "checkpoint");
  if (key === undefined || !new Ed25519Verifier(key.x).verify(text, checkpoint.signature)) {
    throw new Error("this service has not signed the checkpoint, so no links are deleted");
  }
}

/** Stops at a link that breaks the chain or contradicts a signed head, so that damage stays detectable. */
async function findLastExpired(
  { chains, now, isDue }: SignAuditHeadDeps,
  { tenant, previous }: { tenant: string; previous: SignedHead | undefined },
): Promise<AuditHead | undefined> {
  const signedHeads = await chains.signedHeads(tenant);
  const signed = new Map(signedHeads.map(({ sequence, chain }) => [sequence, chain]));
  // The last link stays: the next one continues it.
  const end = (await chains.head(tenant))?.sequence ?? 0;
  let { sequence, chain } = previous ?? emptyHead(tenant);
  let last: AuditHead | undefined;
  for await (const { sequence: at, link } of chains.linksAfter(tenant, sequence)) {
    if (isDue() || link.expiresAt >= now - MARGIN_MS || at !== ++sequence || at >= end) break;
    chain = chainOf(chain, link, sequence);
    if (link.chain !== chain || (signed.get(sequence) ?? chain) !== chain) break;
    // The clock of this process may be wrong.
    if (await chains.hasEntry(tenant, link)) break;
    last = { v: 1, sequence, chain };
  }
  return last;
}
