import { rejectSessionToken } from "../schemas/credential_errors.ts";
import type { SessionService } from "../services/session_service.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ApiKeyIdentity, ApiKeyStore } from "../store/credentials/api_key_store.ts";
import { keys } from "../store/keys/keys.ts";
import { type Session, sessionKey } from "../store/credentials/session_store.ts";
import { claimedTenant } from "../store/credentials/session_token.ts";
import type { Agent } from "../schemas/agent.ts";
import type { ChatBody } from "../schemas/chat.ts";
import { SESSIONS } from "../store/runs/usage_rows.ts";
import { FIELD_BOUNDS } from "../schemas/limits.ts";
import { bearerKey, identifyKey, requireChatAccess } from "./authenticate.ts";
import { type PrefetchHints, prefetchKeys } from "./prefetch_keys.ts";

/** Who sends a message: a backend with a key, or a page with a session. */
export type ChatCaller =
  | { kind: "key"; tenant: string; id: string; sessionHeader: string | undefined }
  | { kind: "session"; tenant: string; id: string; sessionToken: string; session: Session };

/** What finding the caller takes. */
export interface ChatAuthentication {
  service: { apiKeys: ApiKeyStore; sessions: SessionService };
  rateLimiter: {
    identify(
      view: ReadTransaction,
      find: (view: ReadTransaction) => Promise<ApiKeyIdentity>,
    ): Promise<ApiKeyIdentity>;
  };
}

/**
 * The credential of a chat call. With an API key the key decides and a session is optional; without
 * one the session header is the credential. Throws 401, and 403 for a key that may only read.
 * What `reads` names is read along with it.
 */
export async function authenticateChat(
  req: Request,
  { service, rateLimiter }: ChatAuthentication,
  { view, reads }: { view: ReadTransaction; reads: PrefetchHints },
): Promise<ChatCaller> {
  const header = req.headers.get("x-service-session") ?? undefined;
  if (bearerKey(req) !== undefined || header === undefined) {
    const identity = await rateLimiter.identify(view, (reader) => {
      const prefetch = (owner: { tenant: string; id: string }) => [
        keys.apiKeyWindow(owner.tenant, owner.id),
        ...prefetchKeys({ ...reads, tenant: owner.tenant, source: owner.id }),
      ];
      return identifyKey(req, service.apiKeys, { reader, prefetch });
    });
    requireChatAccess(identity);
    const { tenant, id } = identity;
    return { kind: "key", tenant, id, sessionHeader: header };
  }
  const tenant = claimedTenant(header) ?? "none";
  const key = await sessionKey(header);
  await view.preload(() => [key, ...prefetchKeys({ ...reads, tenant, source: SESSIONS })]);
  const session = await service.sessions.require(header, view);
  return { kind: "session", tenant: session.tenant, id: session.id, sessionToken: header, session };
}

/** The token in the body must be the one in the header; a session is for one agent. */
export function checkTokens(caller: ChatCaller, body: ChatBody): void {
  if (caller.kind === "session") {
    if (body.sessionToken !== caller.sessionToken) tokenMismatch();
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
  if (body.sessionToken !== undefined && body.sessionToken !== sessionHeader) tokenMismatch();
}

/**
 * A session spends only on the page it was minted for. A browser on another site always sends its
 * `Origin`; an absent one is a native client or the same site, unless `Sec-Fetch-Site` says otherwise.
 * Of an agent that is gone (`undefined`) nobody can say what it allowed last.
 */
export function checkSessionOrigin(
  req: Request,
  session: Session,
  agent: Agent | undefined,
): void {
  const origin = req.headers.get("origin");
  if (origin === null) {
    const site = req.headers.get("sec-fetch-site");
    if (site === null || site === "same-origin" || site === "none") return;
    rejectOrigin();
  }
  if (origin !== session.origin) rejectOrigin();
  if (session.playground || agent === undefined) return;
  if (!(agent.allowedOrigins ?? []).includes(origin)) rejectOrigin();
}

function tokenMismatch(): never {
  const message = "must be the same value as the X-Service-Session header";
  throw validationError([{ path: "sessionToken", code: "token_mismatch", message }]);
}

function rejectOrigin(): never {
  throw new ApiError(
    "origin_not_allowed",
    "session token rejected: this page's origin is not in the agent's allowedOrigins",
  );
}
