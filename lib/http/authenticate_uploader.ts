import { ApiError, validationError } from "../schemas/api_error.ts";
import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import type { AttachmentReader, Uploader } from "../services/attachment_service.ts";
import type { AttachmentOwner } from "../store/attachments/attachment_record.ts";
import { conversationPage } from "../store/conversations/conversation_record.ts";
import { type Session, sessionKey } from "../store/credentials/session_store.ts";
import { checkAgent, CHECKED_BY_ROUTE } from "./agent_access.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";
import {
  type AuthenticationContext,
  bearerKey,
  identifyAndCountKey,
  requireChatAccess,
} from "./identify_key.ts";
import { readSessionCredential } from "./session_credential.ts";
import { readIdempotencyKey } from "./idempotency_key.ts";
import { agentIdParam } from "./request_params.ts";
import type { Service } from "./service.ts";

interface AttachmentContext extends AuthenticationContext {
  service: Pick<Service, "apiKeys" | "sessions" | "agents">;
}

/**
 * The sender of a file: a live session, which is for one agent, or an API key with chat access, which
 * names the agent as `?agentId=`. Throws 401, 403, 404 for another tenant's agent, and 400 without one.
 */
export async function authenticateUploader(
  req: Request,
  state: AttachmentContext,
): Promise<Uploader> {
  const { service } = state;
  const agentId = agentIdParam(new URL(req.url));
  const credential = readSessionCredential(req);
  if (bearerKey(req) !== undefined || credential === undefined) {
    const identity = await identifyAndCountKey(req, state);
    requireChatAccess(identity, CHECKED_BY_ROUTE);
    readIdempotencyKey(req);
    if (agentId === undefined) {
      const message = "name the agent that the file is for";
      throw validationError([{ path: "agentId", code: "required", message }]);
    }
    checkAgent(identity, agentId);
    const { tenant, id } = identity;
    const agent = await service.agents.getServed(tenant, agentId);
    return { tenant, agent, owner: { kind: "key", id } };
  }
  const session = await service.sessions.require(credential);
  if (agentId !== undefined && agentId !== session.agentId) rejectSessionToken();
  const agent = await service.agents.getForSession(session);
  checkSessionOrigin(req, session, agent);
  return {
    ...{ tenant: session.tenant, agent, owner: await liveOwner(session), until: session.exp },
    credential: await sessionKey(credential.token),
  };
}

/**
 * Who reads a file: an API key, or a session. One that has expired since it uploaded the file reads it
 * still, but not what other sessions of its visitor have uploaded.
 */
export async function authenticateReader(
  req: Request,
  state: AttachmentContext,
): Promise<{ tenant: string; reader: AttachmentReader }> {
  const { service } = state;
  const credential = readSessionCredential(req);
  if (bearerKey(req) !== undefined || credential === undefined) {
    const identity = await identifyAndCountKey(req, state);
    requireChatAccess(identity, CHECKED_BY_ROUTE);
    const { tenant, id, agents } = identity;
    return { tenant, reader: { agentId: undefined, agents, owner: { kind: "key", id } } };
  }
  const { session, live } = await service.sessions.find(credential) ?? rejectSessionToken();
  const agent = await service.agents.findForSession(session);
  if (agent === undefined) throw new ApiError("not_found", "there is no such attachment");
  checkSessionOrigin(req, session, agent);
  const { tenant, agentId, id } = session;
  const owner = live ? await liveOwner(session) : { kind: "session" as const, id };
  return { tenant, reader: { agentId, owner } };
}

async function liveOwner({ id, origin, visitor }: Session): Promise<AttachmentOwner> {
  if (visitor === undefined) return { kind: "session", id };
  const page = await conversationPage({ origin, visitor: visitor.hash });
  return { kind: "session", id, page, visitor: visitor.hash };
}
