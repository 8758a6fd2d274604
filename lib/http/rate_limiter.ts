import { addressBlock, addressNetwork } from "../platform/address_block.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import type { Signer } from "../platform/crypto/signer.ts";
import type { Admission, AdmissionResult } from "../billing/admission.ts";
import type { RunRequest } from "../billing/decide_run.ts";
import { type Limits, WINDOW_MS, withOverrides } from "../billing/limits.ts";
import type { WindowStatus } from "../billing/rate_window.ts";
import type { Caller } from "../billing/request_windows.ts";
import type { InFlightRequests } from "../billing/in_flight_requests.ts";
import {
  isFinalRejection,
  isWindowLimit,
  LimitError,
  type LimitRejection,
} from "../billing/limit_error.ts";
import type { ApiKeyIdentity } from "../store/credentials/api_key_store.ts";
import { isActive, requireActiveTenant } from "../store/tenants/require_active_tenant.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import { SESSION_TTL_MS } from "../schemas/limits.ts";

export interface RateLimiterDeps {
  committer: GroupCommitter;
  admission: Admission;
  signer: Pick<Signer, "sign">;
  tenants: TenantStore;
  limits: Limits;
  inFlight: InFlightRequests;
  /** Open feeds of hand-offs by address, in this process. */
  feeds: InFlightRequests;
}

/**
 * Counts one /v1 request exactly once: with its API key as soon as that is known, with its message if it
 * is one, and at the latest when it is rejected for another reason. The commit that counts the request
 * also checks the records that identified the caller, so a revoked key is rejected immediately.
 */
export class RateLimiter {
  #deps: RateLimiterDeps;
  #clientAddress: string;
  #address: Promise<string> | undefined;
  #id: number;
  #apiKey: ApiKeyIdentity | undefined;
  #counted = false;
  /** The address that this request is in flight for. */
  #inFlightAddress: string | undefined;
  /** What remains of each window, by its name in the headers. */
  #remainingByWindow: Record<string, WindowStatus> = {};
  /** A session message limit that rejected this request. */
  #exhausted: Record<string, WindowStatus> = {};
  #softLimitPassed = false;

  constructor(deps: RateLimiterDeps, clientAddress: string) {
    this.#deps = deps;
    this.#clientAddress = clientAddress;
    this.#id = deps.admission.requests.newId();
  }

  /** Rejects an address with a full window or too many requests in flight. Call `finish` later. */
  async admitRequest({ resumes = false }: { resumes?: boolean } = {}): Promise<void> {
    const address = await this.hashedAddress();
    await this.#recordingRejection(() => {
      const { admission: { requests }, limits } = this.#deps;
      requests.rejectFlood(address, { limits, scope: resumes ? "ip_resume" : "ip" });
      this.#enter(address);
    });
  }

  /** As `admitRequest`, but checks only the requests in flight. */
  async enterUncounted(): Promise<void> {
    this.#enter(await this.hashedAddress());
  }

  /** Takes a place for an open feed of the address, and returns how to give it back. Throws 429. */
  async enterFeed(): Promise<() => void> {
    const address = await this.hashedAddress();
    const { feeds, limits } = this.#deps;
    await this.#recordingRejection(() => feeds.enter(address, limits));
    return () => feeds.leave(address);
  }

  finish(): void {
    if (this.#inFlightAddress === undefined) return;
    this.#deps.inFlight.leave(this.#inFlightAddress);
    this.#inFlightAddress = undefined;
  }

  /** Does nothing if the request was counted. Throws 429. */
  async count(): Promise<void> {
    if (this.#counted) return;
    await this.transact((view) => this.#count(view, this.#apiKey));
  }

  /**
   * Counts the request as a resumed stream of its address. Throws 429. If it is rejected for another
   * reason, it also counts as a request.
   */
  async countResume(): Promise<void> {
    const { admission: { requests }, limits } = this.#deps;
    const address = await this.hashedAddress();
    try {
      await this.#recordingRejection(async () => {
        const request = { address, id: requests.newId(), limits };
        this.#remainingByWindow = await requests.countResume(request);
      });
    } catch (error) {
      // Clients can resume while the store is unavailable.
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    this.finish();
  }

  /** Identifies the request's API key and counts the request, in one commit. */
  async countWithKey(
    find: (view: ReadTransaction) => Promise<ApiKeyIdentity>,
  ): Promise<ApiKeyIdentity> {
    return await this.transact(async (view) => {
      const apiKey = await this.identify(view, find);
      await this.#count(view, apiKey);
      return apiKey;
    });
  }

  async transact<T>(work: (view: ReadTransaction) => Promise<T>): Promise<T> {
    return await this.#recordingRejection(() =>
      this.#deps.committer.transact(work, { isFinal: isFinalRejection })
    );
  }

  /** Identifies the API key that the request counts against from now on. */
  async identify(
    view: ReadTransaction,
    find: (view: ReadTransaction) => Promise<ApiKeyIdentity>,
  ): Promise<ApiKeyIdentity> {
    this.#apiKey = undefined;
    return this.#apiKey = await find(view);
  }

  /** Counts the request as a message and admits its run, as part of `transact`. */
  async admitRun(
    view: ReadTransaction,
    run: Omit<RunRequest, "limits" | "caller">,
  ): Promise<AdmissionResult> {
    const limits = await this.#limitsOf(view, run.run.tenant);
    const caller = await this.#caller(this.#apiKey);
    const request = { ...run, id: this.#id, caller, limits };
    const admitted = await this.#deps.admission.admit(request, view);
    // An ended session is not a limit, so the request is still to be counted.
    if (admitted.kind === "gone" || admitted.kind === "unproven") return admitted;
    this.#markCounted();
    this.#remainingByWindow = { ...admitted.windows };
    this.#softLimitPassed = admitted.kind === "admitted" && admitted.softLimitPassed;
    return admitted;
  }

  /** The keyed hash of the client's address; addresses are personal data and never stored. */
  hashedAddress(): Promise<string> {
    return this.#address ??= this.#deps.signer.sign(addressBlock(this.#clientAddress));
  }

  setHeaders(headers: Headers): void {
    if (this.#softLimitPassed) headers.set("x-plan-warning", "daily_cost_soft_limit");
    const windows = Object.entries(this.#remainingByWindow);
    if (windows.length === 0) return;
    const items = (item: (name: string, window: WindowStatus) => string) =>
      windows.map(([name, window]) => item(name, window)).join(", ");
    const policy = items((name, { limit }) => `"${name}";q=${limit};w=${windowSeconds(name)}`);
    headers.set("ratelimit-policy", policy);
    const state = items((name, { remaining, resetMs }) => {
      // The reset can be a millisecond after the window's end.
      const t = Math.min(Math.ceil(resetMs / 1000), windowSeconds(name));
      return `"${name}";r=${remaining};t=${t}`;
    });
    headers.set("ratelimit", state);
  }

  /**
   * A request rejected by a full window is not counted: a client that retries would never get in, and a
   * flood must not cause writes. A request rejected by another limit counts.
   */
  async #recordingRejection<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LimitError) this.#recordRejection(error.rejection);
      throw error;
    }
  }

  #recordRejection(refusal: LimitRejection): void {
    const { scope, limit, retryAfterMs } = refusal;
    const windows = { [scope]: { limit, remaining: 0, resetMs: retryAfterMs } };
    if (scope === "session_messages") this.#exhausted = windows;
    if (!isWindowLimit(refusal)) return;
    this.#counted = true;
    this.#remainingByWindow = windows;
  }

  async #count(view: ReadTransaction, apiKey: ApiKeyIdentity | undefined): Promise<void> {
    if (this.#counted) return;
    const limits = await this.#limitsOf(view, apiKey?.tenant);
    const caller = await this.#caller(apiKey);
    const request = { id: this.#id, caller, limits };
    this.#remainingByWindow = {
      ...await this.#deps.admission.requests.countRequest(request, view),
      ...this.#exhausted,
    };
    this.#markCounted();
  }

  async #caller(apiKey: ApiKeyIdentity | undefined): Promise<Caller> {
    const address = await this.hashedAddress();
    return apiKey === undefined
      ? { address }
      : { address, apiKey, network: addressNetwork(this.#clientAddress) };
  }

  #enter(address: string): void {
    const { limits, inFlight } = this.#deps;
    inFlight.enter(address, limits);
    this.#inFlightAddress = address;
  }

  /** The window counts it from now on, so a long stream is not in flight. */
  #markCounted(): void {
    this.#counted = true;
    this.finish();
  }

  async #limitsOf(view: ReadTransaction, tenant: string | undefined): Promise<Limits> {
    const { limits, tenants } = this.#deps;
    if (tenant === undefined) return limits;
    const plan = await tenants.plan(tenant, view);
    // The request of a suspended tenant counts for its address only.
    if (!isActive(plan)) this.#apiKey = undefined;
    requireActiveTenant(plan);
    return withOverrides(limits, plan.limits);
  }
}

function windowSeconds(name: string): number {
  return (name === "session_messages" ? SESSION_TTL_MS : WINDOW_MS) / 1000;
}
