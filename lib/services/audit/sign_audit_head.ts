import { base64url } from "../../platform/crypto/signer.ts";
import { dayOf } from "../../platform/utc_day.ts";
import {
  type AuditHead,
  chainOf,
  emptyHead,
  type SignedAs,
  type SignedHead,
  signedHeadText,
} from "../../store/audit/audit_chain.ts";
import type { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import type { IsDue } from "../../store/tenants/tenant_data.ts";
import type { SigningKeys } from "../../store/signing/signing_keys.ts";

export interface SignAuditHeadDeps {
  chains: AuditChainStore;
  signing: SigningKeys;
  now: number;
  /** True if the rest is to be left to a later time. */
  isDue: IsDue;
}

/**
 * Signs the head of a log, if it has none of today and has grown since the last one. Throws if the links
 * since the last one do not lead to it: a signature must not hide what is broken.
 */
export async function signAuditHead(
  { chains, signing, now }: Omit<SignAuditHeadDeps, "isDue">,
  tenant: string,
): Promise<SignedHead | undefined> {
  if (await chains.hasSignedHead(tenant, dayOf(now))) return undefined;
  const [signedHeads, checkpoint] = await Promise.all([
    chains.signedHeads(tenant),
    chains.checkpoint(tenant),
  ]);
  const head = await chains.head(tenant);
  // By number: the clock may have been ahead.
  const known: AuditHead[] = checkpoint === undefined ? signedHeads : [...signedHeads, checkpoint];
  const from = known.reduce((a, b) => b.sequence > a.sequence ? b : a, emptyHead(tenant));
  if (head === undefined || head.sequence === from.sequence) return undefined;
  if (!await isChained(chains, tenant, { from, head })) {
    throw new Error("the links since the last signed head do not lead to the head of the chain");
  }
  const signed = signHead({ signing, now }, { tenant, head, as: "head" });
  return await chains.addSignedHead(tenant, dayOf(now), signed) ? signed : undefined;
}

/** Whether the links after one head lead to another. */
async function isChained(
  chains: AuditChainStore,
  tenant: string,
  { from, head }: { from: AuditHead; head: AuditHead },
): Promise<boolean> {
  let { sequence, chain } = from;
  for await (const { sequence: at, link } of chains.linksAfter(tenant, sequence)) {
    if (at > head.sequence) break;
    if (at !== ++sequence) return false;
    chain = chainOf(chain, link, sequence);
  }
  return sequence === head.sequence && chain === head.chain;
}

export function signHead(
  { signing: { signer }, now: at }: Pick<SignAuditHeadDeps, "signing" | "now">,
  { tenant, head: { sequence, chain }, as }: { tenant: string; head: AuditHead; as: SignedAs },
): SignedHead {
  const signature = base64url(signer.sign(signedHeadText(tenant, { sequence, chain, at }, as)));
  return { v: 1, sequence, chain, at, keyId: signer.jwk.kid, signature };
}
