import type { View } from "../committer/view.ts";
import { rejectSessionToken, type SessionService } from "../admin/session_admin.ts";
import type { AgentService } from "../admin/agent_admin.ts";
import type { RunLookup, RunRegistry } from "../chat/run_directory.ts";
import { ApiError } from "../errors.ts";
import type { ApiKeyIdentity, ApiKeyStore } from "../storage/api_key_store.ts";
import type { RunLogHead } from "../storage/run_head.ts";
import type { Session } from "../storage/session_store.ts";
import { bearerKey, identifyKey, requireChatAccess } from "./authenticate.ts";
import { checkSessionOrigin } from "./chat_caller.ts";

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
