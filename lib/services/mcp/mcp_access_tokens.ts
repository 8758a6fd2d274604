import type { RejectedToken } from "../../agent/tools/callable_tool.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type {
  McpAuthorizationStore,
  McpGrant,
  McpProblem,
  McpSnapshot,
} from "../../store/credentials/mcp_authorization_store.ts";
import { hostOf, oauthFetch } from "./oauth_fetch.ts";
import { issueTokens, McpTokenRequestError, toHead } from "./token_facts.ts";

/** A token is renewed this long before it expires, so that it outlives the call. */
const RENEW_BEFORE_MS = 60_000;
/** Longer than a request for tokens may take; then another process tries. */
const RENEWAL_MS = 30_000;
/** How long to wait for the renewal of another process, and how often to look. */
const MAX_WAIT_MS = 35_000;
const LOOK_MS = 80;

const PROBLEM_TEXTS: Record<McpProblem, string> = {
  expired: "its authorization has expired",
  revoked: "its authorization was withdrawn",
  rejected: "the server rejects its token",
  client_rejected: "its authorization server no longer knows this service",
};

export interface McpAccessTokensDeps {
  store: McpAuthorizationStore;
  egress: Pick<Egress, "fetch">;
  runtime: Pick<Runtime, "now" | "sleep" | "uuid">;
}

interface TokenRequest {
  tenant: string;
  /** Normalized. */
  url: string;
  signal: AbortSignal;
}

/**
 * The access tokens of a tenant's connections, for runs. A refresh token may be used once, so one process
 * renews while the others wait for its result: it marks the record by check-and-set before it asks. If it
 * dies in between, the mark expires and the next process tries with the same refresh token.
 */
export class McpAccessTokens {
  readonly #deps: McpAccessTokensDeps;

  constructor(deps: McpAccessTokensDeps) {
    this.#deps = deps;
  }

  /** `undefined` without a connection. Throws a `ToolError` if it needs attention. */
  async current(request: TokenRequest): Promise<string | undefined> {
    const { store, runtime } = this.#deps;
    const snapshot = await store.read(request.tenant, request.url);
    const { record } = snapshot;
    if (record === undefined || record.state === "new") return undefined;
    const { expiresAt = Infinity, isRenewable } = record;
    const left = expiresAt - runtime.now();
    if (record.state === "connected" && (left > RENEW_BEFORE_MS || (left > 0 && !isRenewable))) {
      return (await store.grantOf(snapshot))?.accessToken;
    }
    const until = left > 0 ? RENEW_BEFORE_MS : 0;
    return await this.#renew(
      request,
      (one) => (one.record?.expiresAt ?? Infinity) - runtime.now() <= until ? "expired" : undefined,
    )
      .catch(async (error) => {
        // While the authorization server is down, the token is good until it expires.
        if (left <= 0 || !isTemporary(error)) throw error;
        return (await store.grantOf(snapshot))?.accessToken;
      });
  }

  /** A newer token than the one that the server has rejected. */
  async renew({ rejected, ...request }: TokenRequest & RejectedToken): Promise<string> {
    return await this.#renew(
      request,
      (_, grant) => grant.accessToken === rejected ? "rejected" : undefined,
    );
  }

  /** The server rejects the newest token too: nothing is sent to it until somebody connects it again. */
  async reject({ tenant, url, rejected }: TokenRequest & RejectedToken): Promise<never> {
    const { store } = this.#deps;
    const snapshot = await store.read(tenant, url);
    const grant = await store.grantOf(snapshot);
    if (grant?.accessToken === rejected) await this.#lose(snapshot, "rejected");
    throw unauthorized(url, "rejected");
  }

  async #renew(
    { tenant, url, signal }: TokenRequest,
    staleness: (snapshot: McpSnapshot, grant: McpGrant) => McpProblem | undefined,
  ): Promise<string> {
    const { store, runtime } = this.#deps;
    const waitsUntil = runtime.now() + MAX_WAIT_MS;
    for (;;) {
      const snapshot = await store.read(tenant, url);
      const { record } = snapshot;
      const problem = record?.problem;
      if (record?.state !== "connected") throw unauthorized(url, problem ?? "revoked");
      const grant = await store.grantOf(snapshot);
      const stale = grant === undefined ? "revoked" : staleness(snapshot, grant);
      if (stale === undefined) return grant!.accessToken!;
      if (grant === undefined || !record.isRenewable) {
        await this.#lose(snapshot, stale);
        throw unauthorized(url, stale);
      }
      const now = runtime.now();
      if ((record.renewal?.until ?? 0) > now) {
        if (now >= waitsUntil) throw temporarily(url);
        await runtime.sleep(LOOK_MS, signal);
        continue;
      }
      const renewal = { id: runtime.uuid(), until: now + RENEWAL_MS };
      const marked = await store.write(snapshot, { renewal });
      if (marked !== undefined) await this.#request(marked, { grant, url });
    }
  }

  /** Requests new tokens and stores them, as the only process. */
  async #request(
    marked: McpSnapshot,
    { grant, url }: { grant: McpGrant; url: string },
  ): Promise<void> {
    const { egress, runtime } = this.#deps;
    const { tenant } = marked;
    const fetch = oauthFetch({ egress, tenant, hosts: [hostOf(grant.tokenEndpoint)] });
    const { requestTokens, revokeTokens } = await import("./oauth_client.ts");
    try {
      const tokens = await issueTokens(() => requestTokens(grant, fetch));
      const facts = marked.record!;
      const stored = toHead({ facts, grant, tokens, now: runtime.now() });
      if (await this.#finish(marked, stored)) return;
      // Disconnected, or connected again: these tokens belong to nothing.
      const hosts = [hostOf(grant.revocationEndpoint ?? grant.tokenEndpoint)];
      await revokeTokens(stored.grant, oauthFetch({ egress, tenant, hosts })).catch(() => {});
    } catch (error) {
      const failure = error instanceof McpTokenRequestError ? error.failure : "temporary";
      if (failure === "temporary") {
        await this.#finish(marked, {});
        throw temporarily(url);
      }
      await this.#finish(marked, lostChange(marked, failure));
    }
  }

  /** Writes the result of this process, whatever else was written meanwhile; false if it is too late. */
  async #finish(
    marked: McpSnapshot,
    change: Parameters<McpAuthorizationStore["write"]>[1],
  ): Promise<boolean> {
    const { store } = this.#deps;
    const id = marked.record!.renewal!.id;
    for (let snapshot = marked; snapshot.record?.renewal?.id === id;) {
      if (await store.write(snapshot, { ...change, renewal: null }) !== undefined) return true;
      snapshot = await store.readById(marked.tenant, marked.id);
    }
    return false;
  }

  /** A change that was made meanwhile takes precedence. */
  async #lose(snapshot: McpSnapshot, problem: McpProblem): Promise<void> {
    if (snapshot.record?.state !== "connected") return;
    await this.#deps.store.write(snapshot, lostChange(snapshot, problem));
  }
}

function lostChange({ record }: McpSnapshot, problem: McpProblem) {
  return {
    head: { ...record!, state: "attention" as const, problem },
    grant: null,
    renewal: null,
    audit: { action: "lose", after: { reason: problem } },
  };
}

function unauthorized(url: string, problem: McpProblem): ToolError {
  const message = `the connection to ${new URL(url).host} needs attention in the dashboard: ` +
    PROBLEM_TEXTS[problem];
  return new ToolError("tool_unauthorized", message);
}

const TEMPORARY = "cannot renew the access token now";

function temporarily(url: string): ToolError {
  return new ToolError("tool_unreachable", `${TEMPORARY} for ${new URL(url).host}`);
}

function isTemporary(error: unknown): boolean {
  return error instanceof ToolError && error.code === "tool_unreachable";
}
