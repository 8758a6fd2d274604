import type { AuditHead, SignedHead } from "../../store/audit/audit_chain.ts";
import { type SignAuditHeadDeps, signHead } from "./sign_audit_head.ts";

/** Links are needed to tell an expired entry from a deleted one; a month after both, they are not needed. */
const MARGIN_MS = 30 * 86_400_000;
const LINKS_PER_STEP = 400;

/**
 * Deletes the oldest links of a log whose entries have all expired a month ago, and stores a signed
 * checkpoint that the rest of the chain begins with. Returns how many it deleted.
 */
export async function pruneAuditLinks(deps: SignAuditHeadDeps, tenant: string): Promise<number> {
  const { chains, now } = deps;
  let deleted = 0;
  while (!deps.isDue()) {
    const expired = await chains.expiredLinks(tenant, {
      before: now - MARGIN_MS,
      limit: LINKS_PER_STEP,
    });
    const last: AuditHead | undefined = expired.at(-1);
    if (last === undefined) return deleted;
    const checkpoint: SignedHead = signHead(deps, { tenant, head: last });
    if (!await chains.dropLinks(tenant, { links: expired, checkpoint })) return deleted;
    deleted += expired.length;
  }
  return deleted;
}
