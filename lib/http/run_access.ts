import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { RunLookup } from "../chat/run_registry.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { RunLogHead } from "../store/runs/run_log_head.ts";
import type { Session } from "../store/credentials/session_store.ts";
import {
  type AuthenticationContext,
  bearerKey,
  identifyAndCountKey,
  identifyKey,
  requireChatAccess,
} from "./identify_key.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";
import type { Service } from "./service.ts";

interface RunAccessContext extends AuthenticationContext {
  service: Pick<Service, "apiKeys" | "sessions" | "agents" | "runs">;
}

/**
 * For a key of the tenant with chat access, the session that started the run (even if expired), or
 * a live session of the same agent and page. Throws 404 for others, as for an unknown run.
 */
export async function findAccessibleRun(
  req: Request,
  state: RunAccessContext,
  { runId, counted }: { runId: string; counted: boolean },
): Promise<{ tenant: string; runId: string; found: KnownRun }> {
  const { service } = state;
  const header = req.headers.get("x-service-session");
  if (bearerKey(req) !== undefined || header === null) {
    const identity = counted
      ? await identifyAndCountKey(req, state)
      : await identifyKey(req, service.apiKeys);
    requireChatAccess(identity);
    const found = requireKnown(await service.runs.find(identity.tenant, runId));
    return { tenant: identity.tenant, runId, found };
  }
  const { session, live } = await service.sessions.find(header) ?? rejectSessionToken();
  const found = requireKnown(await service.runs.find(session.tenant, runId));
  // An expired run has no frames to protect, and its owner is unknown.
  if (found.state !== "expired") {
    if (!canFollow(session, { head: found.head, live })) notFound();
    const agent = await service.agents.find(session.tenant, session.agentId);
    checkSessionOrigin(req, session, agent);
  }
  return { tenant: session.tenant, runId, found };
}

type KnownRun = Exclude<RunLookup, { state: "unknown" }>;

function requireKnown(found: RunLookup): KnownRun {
  return found.state === "unknown" ? notFound() : found;
}

function canFollow(session: Session, { head, live }: { head: RunLogHead; live: boolean }): boolean {
  // A backend's run has no origin, like a playground session, which must not gain access to it.
  if (head.source.kind !== "session") return false;
  if (head.source.id === session.id) return true;
  return live && head.agentId === session.agentId && head.origin === session.origin;
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such run");
}
