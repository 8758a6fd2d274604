import type { Session } from "./session_store.ts";

/** A request's proof that it comes from the holder of a key, after its signature and nonce are checked. */
export interface SessionProof {
  /** The key's thumbprint. */
  jkt: string;
  /** A digest of the proof's id. */
  jti: string;
  /** The period in which its nonce was issued. */
  period: number;
}

/**
 * Proofs of earlier messages that are still remembered. No process accepts a nonce that is three periods
 * older than another acceptable one, even if clocks of processes differ by a period.
 */
const REMEMBERED_PERIODS = 3;
/** More than the messages of a session, so that repeated ones have room too. */
export const MAX_SPENT_PROOFS = 64;

/** True if a request with this proof, or without one, may use the session. */
export function permitsProof(
  { binding }: Pick<Session, "binding">,
  proof: SessionProof | undefined,
): boolean {
  if (binding === undefined) return true;
  if (proof === undefined) return false;
  return binding.jkt === undefined || binding.jkt === proof.jkt;
}

/** True if the session must be bound to the key of this request, its first one with a proof. */
export function needsBinding(
  { binding }: Pick<Session, "binding">,
  proof: SessionProof | undefined,
): proof is SessionProof {
  return proof !== undefined && binding?.jkt === undefined;
}

/**
 * The session after a message with this proof; `undefined` if the session is bound to another key, or if
 * another message, which is another run, was sent with the same proof.
 */
export function spendProof(
  session: Session,
  { proof, runId }: { proof: SessionProof | undefined; runId: string },
): Session | undefined {
  if (!permitsProof(session, proof)) return undefined;
  if (proof === undefined) return session;
  const { jkt, jti, period } = proof;
  const message = runId.slice(-12);
  const spent = (session.spentProofs ?? [])
    .filter((one) => one.period >= period - REMEMBERED_PERIODS);
  const same = spent.find((one) => one.jti === jti);
  // A commit of unknown outcome is decided again and finds what it has written.
  if (same !== undefined) return same.message === message ? session : undefined;
  if (spent.length >= MAX_SPENT_PROOFS) return undefined;
  return { ...session, binding: { jkt }, spentProofs: [...spent, { jti, period, message }] };
}
