import { type Ed25519Jwk, Ed25519Verifier, toJwk } from "../../platform/crypto/ed25519.ts";
import { type SignedHead, signedHeadText } from "../../store/audit/audit_chain.ts";
import type { ChainCheck } from "./check_chain.ts";

export interface SignedHeads {
  signedHeads: readonly SignedHead[];
  checkpoint?: SignedHead | undefined;
  /** The public keys of the installation. */
  keys: readonly Ed25519Jwk[];
  /** The ids of keys that the caller trusts; by default all of `keys`. */
  trusted?: readonly string[] | undefined;
}

/** Checks the signatures of a log's heads and of its checkpoint, and notes the keys of them. */
export function checkSignedHeads(
  check: ChainCheck,
  { signedHeads, checkpoint, keys, trusted }: SignedHeads,
): void {
  const { report } = check;
  const verifiers = new Map(keys.map((key) => [key.kid, openVerifier(key)]));
  const all = checkpoint === undefined ? signedHeads : [checkpoint, ...signedHeads];
  for (const head of all) {
    const { keyId, signature, sequence, at } = head;
    const as = head === checkpoint ? "checkpoint" : "head";
    const isTrusted = trusted === undefined || trusted.includes(keyId);
    const verifier = isTrusted ? verifiers.get(keyId) : undefined;
    if (verifier?.verify(signedHeadText(report.log, head, as), signature)) {
      check.cover(sequence);
      continue;
    }
    const why = !isTrusted
      ? `is signed with the key ${keyId}, which you did not name`
      : verifier === undefined
      ? `is signed with the unknown key ${keyId}`
      : "has a wrong signature";
    // After the entries: their issues say more.
    check.fail({ sequence, at, order: Infinity }, `the ${as} here ${why}`);
  }
  report.signedHeads = signedHeads.length;
  report.keyIds = [...new Set(all.map(({ keyId }) => keyId))];
}

/** After the last link: with named keys, an old log must have something that they have signed. */
export function checkTrust(check: ChainCheck, trusted: readonly string[] | undefined): void {
  const { firstUnsigned, first } = check.report;
  if (trusted === undefined || firstUnsigned?.sequence !== first?.sequence) return;
  if (firstUnsigned === undefined) return;
  const { sequence } = firstUnsigned;
  const where = check.signedUntil > 0 ? " after its checkpoint" : "";
  const reason = `no key that you named has signed this log${where}`;
  check.fail({ ...sequence !== undefined && { sequence } }, reason);
}

/** `undefined` for a key that is none, or that has another's id. */
function openVerifier({ kid, x }: Ed25519Jwk): Ed25519Verifier | undefined {
  if (toJwk(x).kid !== kid) return undefined;
  try {
    return new Ed25519Verifier(x);
  } catch {
    return undefined;
  }
}
