import { addressBlock } from "../platform/address_block.ts";
import type { Committer } from "../store/tx/committer.ts";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import type { View } from "../store/tx/view.ts";
import type { Signer } from "../platform/crypto/hashing.ts";
import type { AddressWindows } from "../billing/address_windows.ts";
import type { Admission, Admitted } from "../billing/admission.ts";
import type { RunRequest } from "../billing/decide_run.ts";
import { type Limits, WINDOW_MS, withOverrides } from "../billing/limits.ts";
import type { WindowLeft } from "../billing/rate_window.ts";
import type { Caller } from "../billing/request_windows.ts";
import type { RequestsUnderWay } from "../billing/requests_under_way.ts";
import { isFinalRefusal, isWindow, LimitError, type LimitRefusal } from "../billing/refusal.ts";
import type { ApiKeyIdentity } from "../store/credentials/api_key_store.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import { SESSION_TTL_MS } from "../schemas/limits.ts";

/** What every meter of a process works with. */
export interface RateLimiterDeps {
  committer: Committer;
  admission: Admission;
  addresses: AddressWindows;
  /** Hashes addresses. */
  signer: Pick<Signer, "sign">;
  tenants: TenantStore;
  limits: Limits;
  inFlight: RequestsUnderWay;
}

/**
 * Counts one /v1 request, once: with its API key when that is known, with its message when it is one,
 * and at the latest when it has been refused for another reason. What was read to know the caller is
 * checked in the commit that counts it, so a revoked key is refused by the next request everywhere.
 */
export class RateLimiter {
  #deps: RateLimiterDeps;
  #clientAddress: string;
  #address: Promise<string> | undefined;
  #id: number;
  #apiKey: ApiKeyIdentity | undefined;
  #counted = false;
  /** The address under which it is under way. */
  #inFlightAddress: string | undefined;
  /** What is left of each window, by its name in the headers. */
  #remainingByWindow: Record<string, WindowLeft> = {};
  /** What is left of limits that no request counts in, where it was refused for one. */
  #exhausted: Record<string, WindowLeft> = {};
  #softLimitPassed = false;

  constructor(parts: RateLimiterDeps, clientAddress: string) {
    this.#deps = parts;
    this.#clientAddress = clientAddress;
    this.#id = parts.admission.requestId();
  }

  /**
   * Refuses an address whose minute of requests (or, where it `resumes` a stream, of resumed streams) is
   * known to be full, or that has as many requests under way as it may make in one, before anything is
   * done for it. `end` must follow.
   */
  async admitRequest({ resumes = false }: { resumes?: boolean } = {}): Promise<void> {
    const address = await this.hashedAddress();
    await this.#recordingRejection(() =>
      Promise.try(() => {
        const { addresses, limits } = this.#deps;
        addresses.refuseFlood(address, { limits, scope: resumes ? "ip_resume" : "ip" });
        this.#enter(address);
      })
    );
  }

  /** As `begin` for a request that no window counts: refuses one too many under way. */
  async enterUncounted(): Promise<void> {
    this.#enter(await this.hashedAddress());
  }

  /** The request has been answered, or given up. */
  finish(): void {
    if (this.#inFlightAddress === undefined) return;
    this.#deps.inFlight.leave(this.#inFlightAddress);
    this.#inFlightAddress = undefined;
  }

  /** Counts the request unless it has been; throws the 429 of the limit that is reached. */
  async count(): Promise<void> {
    if (this.#counted) return;
    await this.transact(async (view) => await this.#count(view, this.#apiKey));
  }

  /**
   * Counts the request as a resumed stream, whoever sends it; throws the 429 when its address has resumed
   * too many. It counts as a request as well when it is refused for another reason.
   */
  async countResume(): Promise<void> {
    const { addresses, admission, limits } = this.#deps;
    const address = await this.hashedAddress();
    try {
      await this.#recordingRejection(async () => {
        this.#remainingByWindow = await addresses.countResume({
          address,
          id: admission.requestId(),
          limits,
        });
      });
    } catch (error) {
      // A client that lost its connection gets back also while nothing can be written.
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    this.finish();
  }

  /** Finds whose key the request carries and counts it, both in one commit. */
  async countWithKey(find: (view: View) => Promise<ApiKeyIdentity>): Promise<ApiKeyIdentity> {
    return await this.transact(async (view) => {
      const apiKey = await this.identify(view, find);
      await this.#count(view, apiKey);
      return apiKey;
    });
  }

  /** Work that reads through a view and ends in `admit`. */
  async transact<T>(work: (view: View) => Promise<T>): Promise<T> {
    return await this.#recordingRejection(() =>
      this.#deps.committer.work(work, { isFinal: isFinalRefusal })
    );
  }

  /** The request speaks for this key from now on, and counts against it. */
  async identify(
    view: View,
    find: (view: View) => Promise<ApiKeyIdentity>,
  ): Promise<ApiKeyIdentity> {
    this.#apiKey = undefined;
    return this.#apiKey = await find(view);
  }

  /** Counts the request as a message and lets its run in, as part of `work`. */
  async admitRun(
    view: View,
    run: Omit<RunRequest, "limits" | "caller">,
  ): Promise<Admitted> {
    const limits = await this.#limitsOf(view, run.run.tenant);
    const caller = await this.#callerOf(this.#apiKey);
    const request = { ...run, id: this.#id, caller, limits };
    const admitted = await this.#deps.admission.admit(request, view);
    // A session that ended meanwhile is refused for another reason than a limit: that counts.
    if (admitted.kind === "gone") return admitted;
    this.#markCounted();
    this.#remainingByWindow = { ...admitted.left };
    this.#softLimitPassed = admitted.kind === "admitted" && admitted.softLimitPassed;
    return admitted;
  }

  /** The caller's address as it is stored: its keyed hash, because addresses are personal. */
  hashedAddress(): Promise<string> {
    return this.#address ??= this.#deps.signer.sign(addressBlock(this.#clientAddress));
  }

  /** Puts what is left, and the plan's warning, into an answer. */
  setHeaders(headers: Headers): void {
    if (this.#softLimitPassed) headers.set("x-plan-warning", "daily_cost_soft_limit");
    const windows = Object.entries(this.#remainingByWindow);
    if (windows.length === 0) return;
    const items = (item: (name: string, left: WindowLeft) => string) =>
      windows.map(([name, left]) => item(name, left)).join(", ");
    headers.set(
      "ratelimit-policy",
      items((name, { limit }) => `"${name}";q=${limit};w=${windowSeconds(name)}`),
    );
    headers.set(
      "ratelimit",
      items((name, { remaining, resetMs }) => {
        // A place comes free when its minute is over, in the millisecond after it.
        const t = Math.min(Math.ceil(resetMs / 1000), windowSeconds(name));
        return `"${name}";r=${remaining};t=${t}`;
      }),
    );
  }

  /**
   * Who keeps knocking at a full window would never get in if that counted, and a flood must cost no
   * write. What another limit refused has still been asked, and counts.
   */
  async #recordingRejection<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof LimitError) this.#recordRejection(error.refusal);
      throw error;
    }
  }

  #recordRejection(refusal: LimitRefusal): void {
    const { scope, limit, retryAfterMs } = refusal;
    const left = { [scope]: { limit, remaining: 0, resetMs: retryAfterMs } };
    if (scope === "session_messages") this.#exhausted = left;
    if (!isWindow(refusal)) return;
    this.#counted = true;
    this.#remainingByWindow = left;
  }

  async #count(view: View, apiKey: ApiKeyIdentity | undefined): Promise<void> {
    if (this.#counted) return;
    const limits = await this.#limitsOf(view, apiKey?.tenant);
    const request = { id: this.#id, caller: await this.#callerOf(apiKey), limits };
    this.#remainingByWindow = {
      ...await this.#deps.admission.countRequest(request, view),
      ...this.#exhausted,
    };
    this.#markCounted();
  }

  #enter(address: string): void {
    const { limits, inFlight } = this.#deps;
    inFlight.enter(address, limits);
    this.#inFlightAddress = address;
  }

  /** Its window holds it from now on: of a stream that goes on for minutes nothing is under way. */
  #markCounted(): void {
    this.#counted = true;
    this.finish();
  }

  async #limitsOf(view: View, tenant: string | undefined): Promise<Limits> {
    const { limits, tenants } = this.#deps;
    if (tenant === undefined) return limits;
    return withOverrides(limits, (await tenants.plan(tenant, view)).limits);
  }

  async #callerOf(apiKey: ApiKeyIdentity | undefined): Promise<Caller> {
    return { address: await this.hashedAddress(), apiKey };
  }
}

/** How long what is counted under a name stays counted. */
function windowSeconds(name: string): number {
  return (name === "session_messages" ? SESSION_TTL_MS : WINDOW_MS) / 1000;
}
