import { dayOf } from "../platform/utc_day.ts";
import type { Agent } from "../schemas/agent.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ChatProtocol } from "../schemas/chat_protocol.ts";
import type { ChatBody } from "../schemas/chat.ts";
import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import { FIELD_BOUNDS } from "../schemas/limits.ts";
import type { SessionService } from "../services/session_service.ts";
import { type Session, sessionKey } from "../store/credentials/session_store.ts";
import type { SessionProof } from "../store/credentials/session_binding.ts";
import { claimedTenant } from "../store/credentials/session_token.ts";
import { keys } from "../store/keys/keys.ts";
import { SESSIONS, usageSource } from "../store/runs/usage_rows.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { CHECKED_BY_ROUTE } from "./agent_access.ts";
import { bearerKey, identifyKey, type KeyContext, requireChatAccess } from "./identify_key.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import { readSessionCredential } from "./session_credential.ts";

/** The sender of a message: a backend with an API key, or a page with a session. */
export type ChatCaller =
  | {
    kind: "key";
    tenant: string;
    id: string;
    sessionHeader: string | undefined;
    /** The agents that the key is restricted to. */
    agents?: string[] | undefined;
  }
  | {
    kind: "session";
    tenant: string;
    id: string;
    sessionToken: string;
    session: Session;
    /** Spent when the message is admitted. */
    proof?: SessionProof | undefined;
  };

/** What a message claims before authentication, for reading ahead. */
export interface PrefetchHints {
  address: string;
  agentId: string | undefined;
  protocol: ChatProtocol;
  now: number;
}

/**
 * An API key decides alone; without one, the session header is the credential. Reads everything
 * that the message will need together with the credential. Throws 401, or 403 for a read-only key. The
 * caller checks the agent.
 */
export async function authenticateChat(
  req: Request,
  { service, clientAddress, rateLimiter }: {
    service: KeyContext["service"] & { sessions: SessionService };
    clientAddress: string;
    rateLimiter: Pick<RateLimiter, "identify">;
  },
  { view, hints, keysOnly = false }: {
    view: ReadTransaction;
    hints: PrefetchHints;
    /** A session is no credential. */
    keysOnly?: boolean;
  },
): Promise<ChatCaller> {
  const credential = readSessionCredential(req);
  if (keysOnly || bearerKey(req) !== undefined || credential === undefined) {
    const identity = await rateLimiter.identify(view, (reader) => {
      const prefetch = (owner: { tenant: string; id: string }) => [
        keys.apiKeyWindow(owner.tenant, owner.id),
        ...prefetchKeys({ ...hints, tenant: owner.tenant, source: owner.id }),
      ];
      return identifyKey(req, { service, clientAddress }, { reader, prefetch });
    });
    requireChatAccess(identity, CHECKED_BY_ROUTE);
    return {
      kind: "key",
      tenant: identity.tenant,
      id: identity.id,
      sessionHeader: credential?.token,
      ...identity.agents && { agents: identity.agents },
    };
  }
  const { token } = credential;
  const tenant = claimedTenant(token) ?? "none";
  const key = await sessionKey(token);
  await view.preload(() => [key, ...prefetchKeys({ ...hints, tenant, source: SESSIONS })]);
  const { session, proof } = await service.sessions.requireForMessage(credential, view);
  const { id } = session;
  return { kind: "session", tenant: session.tenant, id, sessionToken: token, session, proof };
}

/** Everything that a message reads or changes besides its credential. */
function prefetchKeys(
  { tenant, source, address, agentId, protocol, now }: PrefetchHints & {
    tenant: string;
    source: string;
  },
): Deno.KvKey[] {
  const always = [
    keys.addressWindows(address),
    keys.tenantLedger(tenant),
    keys.ledgerDivision(tenant),
    keys.plan(tenant),
    keys.catalogueVersion(),
  ];
  if (agentId === undefined) return always;
  const day = dayOf(now);
  return [
    ...always,
    keys.agent(tenant, agentId),
    keys.usageRow({ tenant, day, agentId, source: usageSource(source, protocol) }),
    keys.conversationUsage(tenant, day),
  ];
}

/** The token in the body must match the header, and a session is for one agent. */
export function checkTokens(caller: ChatCaller, body: ChatBody): void {
  if (caller.kind === "session") {
    if (body.sessionToken !== caller.sessionToken) rejectTokenMismatch();
    if (body.agentId !== caller.session.agentId) rejectSessionToken();
    return;
  }
  const { sessionHeader } = caller;
  if (sessionHeader === undefined) return;
  const { sessionTokenMin: min, sessionTokenMax: max } = FIELD_BOUNDS;
  if (sessionHeader.length < min || sessionHeader.length > max) {
    const message = `the X-Service-Session header must be ${min}-${max} characters`;
    throw validationError([{ path: "sessionToken", code: "out_of_range", message }]);
  }
  if (body.sessionToken !== undefined && body.sessionToken !== sessionHeader) rejectTokenMismatch();
}

/**
 * A session is valid only on the page it was created for. Browsers on other sites always send `Origin`;
 * without it the caller is a native client or the same site, unless `Sec-Fetch-Site` contradicts. For a
 * deleted agent (`undefined`) the allowed origins are unknown. No browser gets here with the session of a
 * native app.
 */
export function checkSessionOrigin(req: Request, session: Session, agent: Agent | undefined): void {
  const origin = req.headers.get("origin");
  if (session.native) {
    if (agent === undefined || agent.nativeApps) return;
    const message = "session token rejected: the agent does not allow native apps any more";
    throw new ApiError("origin_not_allowed", message);
  }
  if (origin === null) {
    const site = req.headers.get("sec-fetch-site");
    if (site === null || site === "same-origin" || site === "none") return;
    rejectOrigin();
  }
  if (origin !== session.origin) rejectOrigin();
  // The service's own pages need no permission.
  if (session.playground || session.share !== undefined || agent === undefined) return;
  if (!(agent.allowedOrigins ?? []).includes(origin)) rejectOrigin();
}

function rejectTokenMismatch(): never {
  const message = "must be the same value as the X-Service-Session header";
  throw validationError([{ path: "sessionToken", code: "token_mismatch", message }]);
}

function rejectOrigin(): never {
  throw new ApiError(
    "origin_not_allowed",
    "session token rejected: this page's origin is not in the agent's allowedOrigins",
  );
}
