import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { RunLookup } from "../chat/run_registry.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { RunLogHead } from "../store/runs/run_log_head.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import { conversationPage } from "../store/conversations/conversation_record.ts";
import type { Session } from "../store/credentials/session_store.ts";
import {
  type AuthenticationContext,
  bearerKey,
  identifyAndCountKey,
  identifyKey,
  requireChatAccess,
} from "./identify_key.ts";
import { canReachAgent, CHECKED_BY_ROUTE } from "./agent_access.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";
import type { Service } from "./service.ts";
import { readSessionCredential } from "./session_credential.ts";

export interface RunAccessContext extends AuthenticationContext {
  service: Pick<Service, "apiKeys" | "sessions" | "agents" | "runs">;
}

/**
 * For a key of the tenant with chat access, the session that started the run (even if expired), or
 * a live session of the same agent and page, and of the same visitor if the run has one. Throws 404
 * for others, as for an unknown run.
 */
export async function findAccessibleRun(
  req: Request,
  state: RunAccessContext,
  { runId, counted, onIdentified = () => {} }: {
    runId: string;
    counted: boolean;
    /** Called once the credential is known to be valid; may throw, for example for the body. */
    onIdentified?: (() => void) | undefined;
  },
): Promise<AccessibleRun> {
  const { service } = state;
  const credential = readSessionCredential(req);
  if (bearerKey(req) !== undefined || credential === undefined) {
    const identity = counted
      ? await identifyAndCountKey(req, state)
      : await identifyKey(req, state);
    requireChatAccess(identity, CHECKED_BY_ROUTE);
    onIdentified();
    const found = requireKnown(await service.runs.find(identity.tenant, runId));
    const { agentId } = (found.state === "expired" ? found.record : found.head) ?? {};
    if (identity.agents && !canReachAgent(identity, agentId ?? "")) notFound();
    return { tenant: identity.tenant, runId, found, by: "key" };
  }
  const { session, live } = await service.sessions.find(credential) ?? rejectSessionToken();
  onIdentified();
  const found = requireKnown(await service.runs.find(session.tenant, runId));
  // Others must not even learn that the run existed.
  const isTheirs = found.state === "expired"
    ? await canFollowExpired(session, { record: found.record, live })
    : canFollow(session, { head: found.head, live });
  if (!isTheirs) notFound();
  checkSessionOrigin(req, session, await service.agents.findForSession(session));
  return { tenant: session.tenant, runId, found, by: "session" };
}

interface AccessibleRun {
  tenant: string;
  runId: string;
  found: KnownRun;
  by: "key" | "session";
}

/** The live session of a request from its page. Throws 401, or 403 for another page. */
export async function requireSession(
  req: Request,
  { service }: { service: Pick<Service, "sessions" | "agents"> },
): Promise<Session> {
  const session = await service.sessions.require(
    readSessionCredential(req) ?? rejectSessionToken(),
  );
  const agent = await service.agents.findForSession(session);
  checkSessionOrigin(req, session, agent);
  return session;
}

type KnownRun = Exclude<RunLookup, { state: "unknown" }>;

function requireKnown(found: RunLookup): KnownRun {
  return found.state === "unknown" ? notFound() : found;
}

function canFollow(session: Session, { head, live }: { head: RunLogHead; live: boolean }): boolean {
  // A backend's run has no origin, like a playground session, which must not gain access to it.
  if (head.source.kind !== "session") return false;
  if (head.source.id === session.id) return true;
  // Nobody else continues what a named visitor has begun.
  if (head.visitor !== undefined && head.visitor !== session.visitor?.hash) return false;
  return live && head.agentId === session.agentId && head.origin === session.origin;
}

/** The same rule for a run whose log is gone, by the page of its stored conversation. */
async function canFollowExpired(
  session: Session,
  { record, live }: { record: RunRecord | undefined; live: boolean },
): Promise<boolean> {
  if (record?.source.kind !== "session") return false;
  if (record.source.id === session.id) return true;
  if (!live || record.agentId !== session.agentId || record.page === undefined) return false;
  const { origin, visitor } = session;
  // Of a run without a named visitor, the page alone decides.
  const hash = record.visitor === undefined ? undefined : visitor?.hash;
  return record.page === await conversationPage({ origin, visitor: hash });
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such run");
}
