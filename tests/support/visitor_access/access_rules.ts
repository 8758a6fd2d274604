/**
 * Who may reach what is a visitor's: the one table that the walk over all pairs checks.
 *
 * - docs/visitors.md: a named visitor's conversations, runs and files are reached by live sessions of the
 *   same visitor, agent and page. A session without a visitor reads the conversations in which it started
 *   every run. "Everything else is the same 404."
 * - docs/protocol.md: a run can be resumed, cancelled and rated with any key of the tenant that may chat,
 *   by the session that started it, also when that has expired, and by live sessions of its agent and page,
 *   of its visitor if it has one. Hand-offs: keys that may chat, and live sessions of the conversation's
 *   agent, page and visitor. Files: their uploader, and live sessions of its visitor, agent and page.
 * - docs/visitors.md: what an agent remembers about a visitor is reached by live sessions of the same visitor
 *   and agent, on any page.
 * - docs/openai-clients.md: a response can be continued with a key, if it is a backend's.
 * - SECURITY.md: no tenant discovers what is another's; a revoked session, and one whose share link is off,
 *   is no credential; nothing under /v1 knows the dashboard's cookie.
 */
import type { ErrorCode } from "@/lib/schemas/error_codes.ts";

/** Which rule a route follows. */
export type RouteKind =
  | "own conversation"
  | "memory"
  | "hand-off"
  | "run"
  | "continuation"
  | "file"
  | "file in a message"
  | "read by the tenant"
  | "written by the tenant"
  | "sessions of the tenant"
  | "usage of the tenant";

export interface SessionCredential {
  kind: "session";
  name: string;
  headers: Record<string, string>;
  token: string;
  visitor?: string;
  agentId: string;
  /** The page's origin; absent for a playground session without one. */
  page?: string;
  state: "live" | "expired" | "ended";
}

export interface KeyCredential {
  kind: "key";
  name: string;
  headers: Record<string, string>;
  /** `chat`: may chat, and has no scope of conversations; `read`: `conversations:read` alone. */
  may: "chat" | "read" | "everything elsewhere";
}

/** A request without a credential that /v1 knows. */
export interface NoCredential {
  kind: "none";
  name: string;
  headers: Record<string, string>;
}

export type Credential = SessionCredential | KeyCredential | NoCredential;

/** Something of a visitor, of a session without one, or of a backend. */
export interface Resource {
  name: string;
  id: string;
  /** Absent for what a backend has. */
  owner?: Pick<SessionCredential, "token" | "visitor" | "agentId" | "page">;
}

/** `theirs`: served. `unknown`: the answer that an id gets which does not exist. */
export type Expected = "theirs" | "unknown" | ErrorCode;

export function expectedAccess(
  kind: RouteKind,
  { credential, resource }: { credential: Credential; resource: Resource },
): Expected {
  if (credential.kind === "none") return rejectionOf(kind);
  if (credential.kind === "key") return accessOfKey(kind, { may: credential.may, resource });
  return accessOfSession(kind, { session: credential, resource });
}

/** Routes of the page know only sessions, all others name the API key. */
function rejectionOf(kind: RouteKind): ErrorCode {
  return isOfSessions(kind) ? "session_token_invalid" : "invalid_api_key";
}

function isOfSessions(kind: RouteKind): kind is "own conversation" | "memory" {
  return kind === "own conversation" || kind === "memory";
}

function accessOfKey(
  kind: RouteKind,
  { may, resource }: Pick<KeyCredential, "may"> & { resource: Resource },
): Expected {
  if (isOfSessions(kind)) return "session_token_invalid";
  if (may === "everything elsewhere") return "unknown";
  switch (kind) {
    case "hand-off":
    case "run":
      return may === "chat" ? "theirs" : "insufficient_scope";
    case "continuation":
      if (may === "read") return "insufficient_scope";
      return resource.owner === undefined ? "theirs" : "unknown";
    case "file":
    case "file in a message":
      return may === "chat" ? "unknown" : "insufficient_scope";
    case "read by the tenant":
      return may === "read" ? "theirs" : "insufficient_scope";
    case "written by the tenant":
    case "sessions of the tenant":
    case "usage of the tenant":
      return "insufficient_scope";
    default:
      return kind satisfies never;
  }
}

function accessOfSession(
  kind: RouteKind,
  { session, resource: { owner } }: { session: SessionCredential; resource: Resource },
): Expected {
  const isStarter = owner?.token === session.token;
  const isOnPage = owner !== undefined && session.agentId === owner.agentId &&
    session.page === owner.page;
  const isOfVisitor = isOnPage && session.visitor === owner.visitor;
  const isLive = session.state === "live";
  switch (kind) {
    case "own conversation":
      if (!isLive) return "session_token_invalid";
      return isStarter || (isOfVisitor && owner.visitor !== undefined) ? "theirs" : "unknown";
    case "hand-off":
      if (!isLive) return "session_token_invalid";
      return isOfVisitor ? "theirs" : "unknown";
    case "run":
      if (session.state === "ended") return "session_token_invalid";
      if (isStarter) return "theirs";
      if (!isLive || !isOnPage) return "unknown";
      return owner.visitor === undefined || isOfVisitor ? "theirs" : "unknown";
    case "file":
      if (session.state === "ended") return "session_token_invalid";
      if (isStarter) return "theirs";
      return isLive && isOfVisitor && owner.visitor !== undefined ? "theirs" : "unknown";
    case "file in a message":
      if (!isLive) return "session_token_invalid";
      return isStarter || (isOfVisitor && owner.visitor !== undefined) ? "theirs" : "unknown";
    case "memory":
      if (!isLive) return "session_token_invalid";
      return owner?.visitor !== undefined && session.visitor === owner.visitor &&
          session.agentId === owner.agentId
        ? "theirs"
        : "unknown";
    case "continuation":
    case "read by the tenant":
    case "written by the tenant":
    case "sessions of the tenant":
    case "usage of the tenant":
      return "invalid_api_key";
    default:
      return kind satisfies never;
  }
}
