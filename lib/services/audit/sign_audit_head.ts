import { base64url } from "../../platform/crypto/signer.ts";
import { dayOf } from "../../platform/utc_day.ts";
import { type AuditHead, type SignedHead, signedHeadText } from "../../store/audit/audit_chain.ts";
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

/** Signs the head of a log, if it has none of today and has grown since the last one. */
export async function signAuditHead(
  { chains, signing, now }: Omit<SignAuditHeadDeps, "isDue">,
  tenant: string,
): Promise<SignedHead | undefined> {
  const [head, last] = await Promise.all([chains.head(tenant), chains.lastSignedHead(tenant)]);
  if (head === undefined || head.sequence === (last?.sequence ?? 0)) return undefined;
  const signed = signHead({ signing, now }, { tenant, head });
  return await chains.addSignedHead(tenant, dayOf(now), signed) ? signed : undefined;
}

export function signHead(
  { signing: { signer }, now: at }: Pick<SignAuditHeadDeps, "signing" | "now">,
  { tenant, head: { sequence, chain } }: { tenant: string; head: AuditHead },
): SignedHead {
  const signature = base64url(signer.sign(signedHeadText(tenant, { sequence, chain, at })));
  return { v: 1, sequence, chain, at, keyId: signer.jwk.kid, signature };
}
