import type { RejectedToken } from "../../agent/tools/callable_tool.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import type { Egress } from "../../egress/egress.ts";
import { UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type {
  McpAuthorizationHead,
  McpAuthorizationStore,
  McpGrant,
  McpProblem,
  McpSnapshot,
} from "../../store/credentials/mcp_authorization_store.ts";
import { hostOf, oauthFetch } from "./oauth_fetch.ts";
import { issueTokens, McpTokenRequestError, toHead } from "./token_facts.ts";

/** Longer than a request for tokens may take; then another process tries. */
const RENEWAL_MS = 30_000;
/** How long to wait for the renewal of another process, and how often to look. */
const MAX_WAIT_MS = 35_000;
const LOOK_MS = 80;
/** Attempts to store new tokens while the store is unavailable, within the time of the mark. */
const MAX_WRITE_FAILURES = 10;
const WRITE_RETRY_MS = 1_000;
/** Between requests of all runs to an authorization server that does not answer. */
const RETRY_MS = 5_000;

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
    const { state, expiresAt = Infinity, renewAt = Infinity, isRenewable } = record;
    const { renewal, retryAt = 0 } = record;
    const isExpired = () => expiresAt <= runtime.now();
    const isDue = (isRenewable ? renewAt : expiresAt) <= runtime.now();
    // Until it expires, the token is good: no run waits for the renewal of another one.
    const canWait = !isExpired() && Math.max(renewal?.until ?? 0, retryAt) > runtime.now();
    if (state === "connected" && (!isDue || canWait)) {
      return (await this.#grantOf(snapshot))?.accessToken;
    }
    return await this.#renew(request, (head) => {
      return (head.renewAt ?? Infinity) <= runtime.now() ? "expired" : undefined;
    }).catch(async (error) => {
      // While the authorization server is down, the token is good until it expires.
      if (isExpired() || !isTemporary(error)) throw error;
      return (await this.#grantOf(snapshot))?.accessToken;
    });
  }

  /** A newer token than the one that the server has rejected. */
  async renew({ rejected, ...request }: TokenRequest & RejectedToken): Promise<string> {
    return await this.#renew(
      request,
      (_head, grant) => grant.accessToken === rejected ? "rejected" : undefined,
    );
  }

  /** The server rejects the newest token too: nothing is sent to it until it is connected again. */
  async reject({ tenant, url, rejected }: TokenRequest & RejectedToken): Promise<never> {
    const { store } = this.#deps;
    const snapshot = await store.read(tenant, url);
    const grant = await this.#grantOf(snapshot);
    if (grant?.accessToken === rejected) await this.#lose(snapshot, "rejected");
    throw unauthorized(url, "rejected");
  }

  /** A key that is missing for a while must not cost the connection, so nothing is changed then. */
  async #grantOf(snapshot: McpSnapshot): Promise<McpGrant | undefined> {
    try {
      return await this.#deps.store.grantOf(snapshot);
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      const message = "the stored authorization cannot be decrypted: connect the server again";
      throw new ToolError("tool_unauthorized", message);
    }
  }

  async #renew(
    { tenant, url, signal }: TokenRequest,
    staleness: (head: McpAuthorizationHead, grant: McpGrant) => McpProblem | undefined,
  ): Promise<string> {
    const { store, runtime } = this.#deps;
    const waitsUntil = runtime.now() + MAX_WAIT_MS;
    for (let hasRequested = false;;) {
      const snapshot = await store.read(tenant, url);
      const { record } = snapshot;
      const problem = record?.problem;
      if (record?.state !== "connected") throw unauthorized(url, problem ?? "revoked");
      const grant = await this.#grantOf(snapshot);
      const stale = grant === undefined ? "revoked" : staleness(record, grant);
      if (stale === undefined) return grant!.accessToken!;
      // A provider that issues the same token again would be asked forever.
      if (grant === undefined || !record.isRenewable || hasRequested) {
        await this.#lose(snapshot, stale);
        throw unauthorized(url, stale);
      }
      const now = runtime.now();
      if ((record.retryAt ?? 0) > now) throw temporarily(url);
      if ((record.renewal?.until ?? 0) > now) {
        if (now >= waitsUntil) throw temporarily(url);
        await runtime.sleep(LOOK_MS, signal);
        continue;
      }
      const renewal = { id: runtime.uuid(), until: now + RENEWAL_MS };
      const marked = await store.write(snapshot, { renewal });
      if (marked === undefined) continue;
      await this.#request(marked, { grant, url });
      hasRequested = true;
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
        const retryAt = runtime.now() + RETRY_MS;
        await this.#finish(marked, { head: { ...marked.record!, retryAt } });
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
    const { store, runtime } = this.#deps;
    const id = marked.record!.renewal!.id;
    let failures = 0;
    for (let snapshot = marked; snapshot.record?.renewal?.id === id;) {
      try {
        if (await store.write(snapshot, { ...change, renewal: null }) !== undefined) return true;
        snapshot = await store.readById(marked.tenant, marked.id);
      } catch (error) {
        // The old refresh token is used up: giving up would lose the connection.
        if (++failures > MAX_WRITE_FAILURES) throw error;
        await runtime.sleep(WRITE_RETRY_MS);
      }
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
