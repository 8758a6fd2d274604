import { type SessionProof, spendProof } from "../store/credentials/session_binding.ts";
import { type Session, sessionExpireIn } from "../store/credentials/session_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { LimitRejection } from "./limit_error.ts";
import type { WindowStatus } from "./rate_window.ts";

interface SentMessage {
  run: RunFacts;
  sessionHash?: string | undefined;
  proof?: SessionProof | undefined;
  now: number;
}

type SessionRejection = {
  decision: { gone: true } | { unproven: true } | { rejected: LimitRejection };
};

/** Takes one message of the session, if there is one; nothing is stored before `record`. */
export function takeSessionMessage(
  tx: Transaction,
  message: SentMessage,
):
  | SessionRejection
  | { endsIn: number; windows?: { session_messages: WindowStatus }; record: () => void } {
  const found = findSession(tx, message);
  if ("decision" in found || found.session === undefined) return found;
  const { session, endsIn, store } = found;
  const limit = session.messageCap;
  if (session.messages >= limit) {
    return { decision: { rejected: { scope: "session_messages", limit, retryAfterMs: endsIn } } };
  }
  const next: Session = { ...session, messages: session.messages + 1 };
  return {
    endsIn,
    windows: { session_messages: { limit, remaining: limit - next.messages, resetMs: endsIn } },
    record: () => store(next),
  };
}

/**
 * The session of a message as it is once the message's proof is spent, if there is a session. `record`
 * stores only that, for a message that is not counted again.
 */
export function findSession(
  tx: Transaction,
  { run, sessionHash, proof, now }: SentMessage,
):
  | SessionRejection
  | {
    session?: Session;
    endsIn: number;
    record: () => void;
    store: (session: Session) => void;
  } {
  if (sessionHash === undefined) return { endsIn: 0, record: () => {}, store: () => {} };
  const key = keys.session(run.tenant, sessionHash);
  const stored = tx.get<Session>(key);
  const endsIn = (stored?.exp ?? 0) - now;
  if (stored === undefined || endsIn <= 0) return { decision: { gone: true } };
  const session = spendProof(stored, { proof, runId: run.runId });
  if (session === undefined) return { decision: { unproven: true } };
  const store = (next: Session) => tx.set(key, next, { expireIn: sessionExpireIn(endsIn) });
  const record = () => session !== stored && store(session);
  return { session, endsIn, record, store };
}
