import type { KvReader } from "../store/tx/read_transaction.ts";
import type { VisitorAccounts } from "../billing/visitor_accounts.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import type { ValidationIssue } from "../schemas/error_codes.ts";
import {
  rejectProof,
  rejectProofNonce,
  rejectSessionToken,
} from "../schemas/reject_credentials.ts";
import type { DpopProof } from "../platform/crypto/dpop_proof.ts";
import { type CommitStep, CorruptRecordError } from "../store/values/record.ts";
import type { NewVisitor, SessionVisitor } from "../store/visitors/session_visitor.ts";
import type { OnRevoked } from "../store/credentials/api_key_store.ts";
import type { Session, SessionStore } from "../store/credentials/session_store.ts";
import type { ShareStore } from "../store/agents/share_store.ts";
import { isActive, requireActiveTenant } from "../store/tenants/require_active_tenant.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import { offersOf, shownAppearance } from "../schemas/appearance.ts";
import { type MintBinding, type MintedSession, NATIVE_APP } from "../schemas/session.ts";
import {
  needsBinding,
  permitsProof,
  type SessionProof,
} from "../store/credentials/session_binding.ts";
import { isOfType, type MintVisitor } from "../schemas/visitor.ts";
import type { ProofNonces } from "./proof_nonces.ts";

/** `commit` may add to the step that stores the session. */
export type MintOptions = {
  commit?: CommitStep<MintedSession> | undefined;
  visitor?: MintVisitor | undefined;
  bind?: MintBinding | undefined;
};

/** What a request presents to use a session. */
export interface SessionCredential {
  token: string;
  /** True if a browser sends the request. */
  isBrowser?: boolean;
  /** Verifies the request's proof; `undefined` if it is invalid. Absent without a proof. */
  verifyProof?: (() => Promise<DpopProof | undefined>) | undefined;
}

/** Creates, checks and revokes widget sessions. Throws `ApiError`. */
export class SessionService {
  #store: SessionStore;
  #runtime: Runtime;
  #onRevoked: OnRevoked;
  #shares: Pick<ShareStore, "find"> | undefined;
  #visitors: Pick<VisitorAccounts, "setLimits"> | undefined;
  #nonces: ProofNonces | undefined;
  #tenants: Pick<TenantStore, "plan"> | undefined;

  /** Without `nonces` no proof is valid. */
  constructor(
    store: SessionStore,
    options: {
      runtime: Runtime;
      onRevoked?: OnRevoked;
      shares?: Pick<ShareStore, "find">;
      visitors?: Pick<VisitorAccounts, "setLimits">;
      nonces?: ProofNonces;
      /** Without it no session's tenant is suspended. */
      tenants?: Pick<TenantStore, "plan">;
    },
  ) {
    this.#tenants = options.tenants;
    this.#nonces = options.nonces;
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
    options: MintOptions = {},
  ): Promise<MintedSession> {
    const visitor = options.visitor && valid(agent, options.visitor);
    if (!(agent.allowedOrigins ?? []).includes(origin)) {
      throw new ApiError("origin_not_allowed", "this origin is not in the agent's allowedOrigins");
    }
    return await this.#mint(tenant, { ...agentPart(agent, visitor), origin, visitor }, options);
  }

  /** A session for an app without pages, which is always bound to a key. As `mintForOrigin`. */
  async mintForNativeApp(
    tenant: string,
    agent: Agent,
    options: MintOptions & { bind: MintBinding },
  ): Promise<MintedSession> {
    const visitor = options.visitor && valid(agent, options.visitor);
    const app = { ...agentPart(agent, visitor), origin: NATIVE_APP, native: true, visitor };
    return await this.#mint(tenant, app, options);
  }

  async #mint(
    tenant: string,
    session: Omit<Parameters<SessionStore["mint"]>[1], "bind">,
    { visitor, bind, commit }: MintOptions,
  ): Promise<MintedSession> {
    // First, so that no session of this mint is without them.
    const { id, limits } = visitor ?? {};
    if (limits !== undefined) await this.#visitors?.setLimits(tenant, id!, limits);
    return await this.#store.mint(tenant, { ...session, bind }, { commit });
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

  /**
   * The live session of a request; 401 if there is none, if its share link was switched off, or if it is
   * bound to a key and the request does not prove to hold it. The first proof binds it.
   */
  async require(credential: SessionCredential): Promise<Session> {
    const { session, proof } = await this.requireForMessage(credential);
    return await this.#bind(credential, { session, proof });
  }

  /** As `require`, but binds nothing: the message is admitted with the proof, and that binds the session. */
  async requireForMessage(
    credential: SessionCredential,
    reader?: KvReader,
  ): Promise<{ session: Session; proof?: SessionProof | undefined }> {
    const session = await this.#findLive(credential.token, reader) ?? rejectSessionToken();
    await this.#requireActive(session, reader);
    return { session, proof: await this.#check(credential, session) };
  }

  /** True while the token has a live session. Proofs are not needed: for a request that had one. */
  async isLive(token: string): Promise<boolean> {
    const session = await this.#findLive(token);
    const plan = session && await this.#tenants?.plan(session.tenant);
    return session !== undefined && (plan === undefined || isActive(plan));
  }

  /** Throws 403 while the tenant is suspended. */
  async #requireActive({ tenant }: Session, reader?: KvReader): Promise<void> {
    const plan = await this.#tenants?.plan(tenant, reader);
    if (plan !== undefined) requireActiveTenant(plan);
  }

  async #findLive(token: string, reader?: KvReader): Promise<Session | undefined> {
    const session = await this.#store.get(token, reader);
    return session && await this.#isShared(session, reader) ? session : undefined;
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
   * As `require`, but also finds expired sessions; `undefined` if the token is unknown or revoked, or if
   * its share link was switched off.
   */
  async find(
    credential: SessionCredential,
  ): Promise<{ session: Session; live: boolean } | undefined> {
    const found = await this.#store.find(credential.token);
    if (found === undefined || !await this.#isShared(found.session)) return undefined;
    const { session, live } = found;
    await this.#requireActive(session);
    const proof = await this.#check(credential, session);
    return { session: await this.#bind(credential, { session, proof }), live };
  }

  /** The only place that decides whether a request may use a session that exists. Throws 401 and 403. */
  async #check(
    { isBrowser, verifyProof }: SessionCredential,
    session: Session,
  ): Promise<SessionProof | undefined> {
    if (session.native && isBrowser) {
      const message = "session token rejected: it is for a native app, not for a browser";
      throw new ApiError("origin_not_allowed", message);
    }
    const proof = verifyProof && await this.#checkProof(verifyProof);
    return permitsProof(session, proof) ? proof : rejectProof();
  }

  async #checkProof(
    verify: NonNullable<SessionCredential["verifyProof"]>,
  ): Promise<SessionProof> {
    const { jkt, jti, nonce = "" } = await verify() ?? rejectProof();
    const period = await this.#nonces?.periodOf(nonce) ?? rejectProofNonce();
    return { jkt, jti, period };
  }

  async #bind(
    { token }: SessionCredential,
    { session, proof }: { session: Session; proof: SessionProof | undefined },
  ): Promise<Session> {
    if (!needsBinding(session, proof)) return session;
    const bound = await this.#store.bind(token, proof.jkt) ?? rejectSessionToken();
    // Another key may have been first.
    return permitsProof(bound, proof) ? bound : rejectProof();
  }

  /** Deletes a session of this tenant and cancels its runs; 404 if there is none. */
  async revoke(
    tenant: string,
    sessionToken: string,
    { agents }: { agents?: readonly string[] | undefined } = {},
  ): Promise<void> {
    const found = agents && await this.#store.find(sessionToken);
    if (found && !agents.includes(found.session.agentId)) rejectUnknown();
    const id = await this.#store.revoke(tenant, sessionToken);
    if (id !== undefined) return await this.#onRevoked(tenant, id);
    rejectUnknown();
  }
}

function rejectUnknown(): never {
  throw new ApiError("not_found", "there is no such session");
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

/** What a session takes from its agent, which remembers nothing about a session without a visitor. */
function agentPart({ memory, ...agent }: Agent, visitor?: NewVisitor) {
  const offers = offersOf({ ...agent, ...visitor && { memory } });
  const appearance = shownAppearance({ ...agent, offers });
  return { agentId: agent.id, ...appearance && { appearance } };
}
