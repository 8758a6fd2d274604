import { ApiError } from "../schemas/api_error.ts";
import type { SessionCredential } from "../services/session_service.ts";
import type { ConversationPlace } from "../services/handoff_service.ts";
import { sessionKey } from "../store/credentials/session_store.ts";
import { canReachAgent, checkAgent, CHECKED_BY_ROUTE } from "./agent_access.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";
import {
  type AuthenticationContext,
  bearerKey,
  identifyAndCountKey,
  identifyKey,
  requireChatAccess,
} from "./identify_key.ts";
import { conversationFilterParams } from "./request_params.ts";
import type { Service } from "./service.ts";
import { readSessionCredential } from "./session_credential.ts";

interface ConversationAccessContext extends AuthenticationContext {
  service: Pick<
    Service,
    "apiKeys" | "sessions" | "agents" | "handoffs" | "runtime"
  >;
}

/** A caller's way to a conversation, and how long the caller may use it. */
export interface ConversationAccess {
  place: ConversationPlace;
  /** The end of the session, milliseconds; absent for an API key. */
  until?: number;
  /** Keys whose changes can end the access. */
  watched: Deno.KvKey[];
  isAllowed: () => Promise<boolean>;
}

/**
 * For a key of the tenant with chat access, and for live sessions of the conversation's agent, page and
 * visitor: the id is what a session must know. Throws 404 for others, as for an unknown conversation.
 */
export async function findAccessibleConversation(
  req: Request,
  state: ConversationAccessContext,
  { id, counted, checkBody = () => {} }: {
    id: string;
    counted: boolean;
    /** Throws if the body is invalid: reported after errors of the credential. */
    checkBody?: () => void;
  },
): Promise<ConversationAccess> {
  const credential = readSessionCredential(req);
  if (bearerKey(req) !== undefined || credential === undefined) {
    return await findWithKey(req, state, { id, counted, checkBody });
  }
  return await findWithSession(req, state, { id, credential, checkBody });
}

async function findWithKey(
  req: Request,
  state: ConversationAccessContext,
  { id, counted, checkBody }: { id: string; counted: boolean; checkBody: () => void },
): Promise<ConversationAccess> {
  const { handoffs } = state.service;
  const identity = counted ? await identifyAndCountKey(req, state) : await identifyKey(req, state);
  requireChatAccess(identity, CHECKED_BY_ROUTE);
  checkBody();
  const filter = conversationFilterParams(new URL(req.url));
  const place = await handoffs.locate(identity.tenant, id, filter) ?? notFound();
  const { agentId } = place.name;
  if (!canReachAgent(identity, agentId)) notFound();
  const isAllowed = () => succeeds(async () => checkAgent(await identifyKey(req, state), agentId));
  return { place, watched: [], isAllowed };
}

async function findWithSession(
  req: Request,
  { service: { sessions, handoffs, agents } }: ConversationAccessContext,
  { id, credential, checkBody }: {
    id: string;
    credential: SessionCredential;
    checkBody: () => void;
  },
): Promise<ConversationAccess> {
  const session = await sessions.require(credential);
  checkBody();
  const { tenant, agentId, origin, exp } = session;
  const page = { agentId, origin: origin ?? "", visitor: session.visitor?.hash ?? "" };
  const place = await handoffs.locate(tenant, id, page) ?? notFound();
  // A backend's conversations have no page, like those of a playground session without an origin.
  if (origin === undefined && !place.isPlayground) notFound();
  checkSessionOrigin(req, session, await agents.findForSession(session));
  return {
    place,
    until: exp,
    watched: [await sessionKey(credential.token)],
    isAllowed: () => sessions.isLive(credential.token),
  };
}

/** The credential is not valid, not for this address, or not for this agent. */
const REJECTIONS = [401, 403, 404];

/** False if the credential is rejected; other failures are those of the store. */
async function succeeds(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof ApiError && REJECTIONS.includes(error.status)) return false;
    throw error;
  }
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such conversation");
}
