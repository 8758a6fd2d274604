import type { KvReader } from "../store/tx/read_transaction.ts";
import type { VisitorAccounts } from "../billing/visitor_accounts.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import { rejectSessionToken } from "../schemas/reject_credentials.ts";
import { type CommitStep, CorruptRecordError } from "../store/values/record.ts";
import type { NewVisitor, SessionVisitor } from "../store/visitors/session_visitor.ts";
import type { OnRevoked } from "../store/credentials/api_key_store.ts";
import type { Session, SessionStore } from "../store/credentials/session_store.ts";
import type { ShareStore } from "../store/agents/share_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import { offersOf, shownAppearance } from "../schemas/appearance.ts";
import type { MintedSession } from "../schemas/session.ts";
import { isOfType, type MintVisitor } from "../schemas/visitor.ts";

/** `commit` may add to the step that stores the session. */
export type MintOptions = {
  commit?: CommitStep<MintedSession> | undefined;
  visitor?: MintVisitor | undefined;
};

/** Creates, checks and revokes widget sessions. Throws `ApiError`. */
export class SessionService {
  #store: SessionStore;
  #runtime: Runtime;
  #onRevoked: OnRevoked;
  #shares: Pick<ShareStore, "find"> | undefined;
  #visitors: Pick<VisitorAccounts, "setLimits"> | undefined;

  constructor(
    store: SessionStore,
    options: {
      runtime: Runtime;
      onRevoked?: OnRevoked;
      shares?: Pick<ShareStore, "find">;
      visitors?: Pick<VisitorAccounts, "setLimits">;
    },
  ) {
    this.#visitors = options.visitors;
    this.#shares = options.shares;
    this.#store = store;
    this.#runtime = options.runtime;
    this.#onRevoked = options.onRevoked ?? (() => {});
  }

  /**
   * A session for the page at `origin`, as the browser sends it, which must be one of the agent's
   * `allowedOrigins`. 400 for a variable of the visitor that the agent does not declare.
   */
  async mintForOrigin(
    tenant: string,
    agent: Agent,
    origin: string,
    { visitor, commit }: MintOptions = {},
  ): Promise<MintedSession> {
    const bound = { ...agentPart(agent), origin, ...visitor && { visitor: valid(agent, visitor) } };
    if (!(agent.allowedOrigins ?? []).includes(origin)) {
      throw new ApiError("origin_not_allowed", "this origin is not in the agent's allowedOrigins");
    }
    // First, so that no session of this mint is without them.
    const { id, limits } = visitor ?? {};
    if (limits !== undefined) await this.#visitors?.setLimits(tenant, id!, limits);
    return await this.#store.mint(tenant, bound, { commit });
  }

  /** A session for the hosted page of a share link, at one of the service's own origins. */
  mintForShare(
    tenant: string,
    agent: Agent,
    { origin, share }: { origin: string; share: string },
  ): Promise<MintedSession> {
    return this.#store.mint(tenant, { ...agentPart(agent), origin, share });
  }

  /** A session for the playground, bound to `origin` if the caller sent one. */
  mintForPlayground(
    tenant: string,
    agent: Agent,
    origin: string | undefined,
    options: Pick<MintOptions, "commit"> = {},
  ): Promise<MintedSession> {
    return this.#store.mint(tenant, { ...agentPart(agent), origin, playground: true }, options);
  }

  /** The live session of a token; 401 if there is none, or if its share link was switched off. */
  async require(sessionToken: string, reader?: KvReader): Promise<Session> {
    const session = await this.#store.get(sessionToken, reader) ?? rejectSessionToken();
    return await this.#isShared(session, reader) ? session : rejectSessionToken();
  }

  /** False once the share link of the session is switched off. */
  async #isShared({ share }: Session, reader?: KvReader): Promise<boolean> {
    return share === undefined || await this.#shares?.find(share, reader) !== undefined;
  }

  /** Whom a session was minted for; 401 if that cannot be decrypted, so that a new one is minted. */
  async visitorOf(session: Session): Promise<SessionVisitor | undefined> {
    try {
      return await this.#store.visitorOf(session);
    } catch (error) {
      if (error instanceof CorruptRecordError) rejectSessionToken();
      throw error;
    }
  }

  /**
   * The session of a token, live or expired; `undefined` if it is unknown or revoked, or if its share
   * link was switched off.
   */
  async find(sessionToken: string): Promise<{ session: Session; live: boolean } | undefined> {
    const found = await this.#store.find(sessionToken);
    return found && await this.#isShared(found.session) ? found : undefined;
  }

  /** Deletes a session of this tenant and cancels its runs; 404 if there is none. */
  async revoke(tenant: string, sessionToken: string): Promise<void> {
    const id = await this.#store.revoke(tenant, sessionToken);
    if (id !== undefined) return await this.#onRevoked(tenant, id);
    throw new ApiError("not_found", "there is no such session");
  }
}

/** The visitor as it is stored. Throws 400 for a variable that the agent does not have. */
function valid({ variables = [] }: Agent, visitor: MintVisitor): NewVisitor {
  const types = new Map(variables.map(({ name, type }) => [name, type]));
  const values = visitor.variables ?? {};
  const issues = Object.entries(values).flatMap(([name, value]): ValidationIssue[] => {
    const type = types.get(name);
    const path = `visitor.variables.${name}`;
    if (type === undefined) {
      return [{ path, code: "unknown_variable", message: "is not a variable of the agent" }];
    }
    if (isOfType(value, type)) return [];
    return [{ path, code: "invalid_type", message: `must be a ${type}` }];
  });
  if (issues.length > 0) throw validationError(issues);
  return { id: visitor.id, variables: values };
}

/** What a session takes from its agent. */
function agentPart(agent: Agent) {
  const appearance = shownAppearance({ ...agent, offers: offersOf(agent) });
  return { agentId: agent.id, ...appearance && { appearance } };
}
