import type { View } from "../store/tx/view.ts";
import { rejectSessionToken } from "../schemas/credential_errors.ts";
import type { SessionService } from "../services/session_service.ts";
import type { AgentService } from "../services/agent_service.ts";
import type { RunLookup, RunRegistry } from "../chat/run_registry.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { ApiKeyIdentity, ApiKeyStore } from "../store/credentials/api_key_store.ts";
import type { RunLogHead } from "../store/runs/run_log_head.ts";
import type { Session } from "../store/credentials/session_store.ts";
import { bearerKey, identifyKey, requireChatAccess } from "./authenticate.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";

/** What finding a run for its caller takes. */
export interface RunAccessContext {
  service: {
    apiKeys: ApiKeyStore;
    sessions: SessionService;
    agents: AgentService;
    runs: RunRegistry;
  };
  rateLimiter: {
    countWithKey(find: (view: View) => Promise<ApiKeyIdentity>): Promise<ApiKeyIdentity>;
  };
}

/** A run that the caller may follow and stop. */
export interface AccessibleRun {
  tenant: string;
  runId: string;
  found: RunLookup;
}

/**
 * The run a request names, if its caller may follow it: any key of the tenant that may chat; the
 * session that began it, even when it has expired; any live session of the same agent and page. For
 * everybody else there is no such run: 404, as for one that never was.
 */
export async function findAccessibleRun(
  req: Request,
  state: RunAccessContext,
  { runId, counted }: { runId: string; counted: boolean },
): Promise<AccessibleRun> {
  const { service } = state;
  const header = req.headers.get("x-service-session");
  if (bearerKey(req) !== undefined || header === null) {
    const identity = counted
      ? await state.rateLimiter.countWithKey((reader) =>
        identifyKey(req, service.apiKeys, { reader })
      )
      : await identifyKey(req, service.apiKeys);
    requireChatAccess(identity);
    const { tenant } = identity;
    return { tenant, runId, found: requireKnown(await service.runs.find(tenant, runId)) };
  }
  const { session, live } = await service.sessions.find(header) ?? rejectSessionToken();
  const found = requireKnown(await service.runs.find(session.tenant, runId));
  // Once its frames are gone nobody can tell whose it was, and there is nothing left to protect.
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
  // A backend's run has no page: a session without one (a playground's) must not pass for its own.
  if (head.source.kind !== "session") return false;
  if (head.source.id === session.id) return true;
  return live && head.agentId === session.agentId && head.origin === session.origin;
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such run");
}
