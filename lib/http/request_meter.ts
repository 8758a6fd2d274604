import { addressBlock } from "../accounts/address_block.ts";
import type { Signer } from "../credentials/hashing.ts";
import { ApiError } from "../errors.ts";
import type { Admission, AdmittedRun, RequestCount, RunRequest } from "../limits/admission.ts";
import type { WindowLeft } from "../limits/count_request.ts";
import { type Limits, withOverrides } from "../limits/limits.ts";
import type { ApiKeyIdentity } from "../storage/api_key_store.ts";
import type { TenantStore } from "../storage/tenant_store.ts";

/** What every meter of a process works with. */
export interface MeterParts {
  admission: Admission;
  signer: Signer;
  tenants: TenantStore;
  limits: Limits;
}

/** What is left of each window, by its name in the headers. */
type Left = Record<string, WindowLeft>;

/**
 * Counts one /v1 request, once: with its API key when that is known, with its message when it is one,
 * and at the latest when it has been refused for another reason.
 */
export class RequestMeter {
  #parts: MeterParts;
  #clientAddress: string;
  #apiKey: ApiKeyIdentity | undefined;
  #counted = false;
  #left: Left = {};
  #softLimitPassed = false;

  constructor(parts: MeterParts, clientAddress: string) {
    this.#parts = parts;
    this.#clientAddress = clientAddress;
  }

  /** The request speaks for this key from now on, and counts against it. */
  identify(apiKey: ApiKeyIdentity): void {
    this.#apiKey = apiKey;
  }

  /** Counts the request unless it has been; throws the 429 of the limit that is reached. */
  async count(): Promise<void> {
    if (this.#counted) return;
    this.#counted = true;
    const limits = await this.#limitsOf(this.#apiKey?.tenant);
    const counted = this.#parts.admission.countRequest(await this.#caller(), limits);
    this.#left = pick(await counted.catch((error) => this.#refused(error)));
  }

  /** Counts the request as a message and lets its run in; `undefined` when the session has ended. */
  async admit(
    run: Pick<RunRequest, "runId" | "tenant" | "hold" | "sessionHash">,
  ): Promise<AdmittedRun | undefined> {
    this.#counted = true;
    const limits = await this.#limitsOf(run.tenant);
    const caller = await this.#caller();
    const admission = this.#parts.admission.admit({ ...run, caller, limits });
    const admitted = await admission.catch((error) => this.#refused(error));
    this.#left = pick(admitted);
    this.#softLimitPassed = admitted?.softLimitPassed === true;
    // A session that ended meanwhile is refused for another reason than a limit: that counts.
    if (admitted === undefined) this.#counted = false;
    return admitted;
  }

  /** Puts what is left, and the plan's warning, into an answer. */
  setHeaders(headers: Headers): void {
    if (this.#softLimitPassed) headers.set("x-plan-warning", "daily_cost_soft_limit");
    const windows = Object.entries(this.#left);
    if (windows.length === 0) return;
    const items = (item: (name: string, left: WindowLeft) => string) =>
      windows.map(([name, left]) => item(name, left)).join(", ");
    headers.set("ratelimit-policy", items((name, { limit }) => `"${name}";q=${limit};w=60`));
    headers.set("ratelimit", items((name, { remaining }) => `"${name}";r=${remaining};t=60`));
  }

  /** A full window has nothing left; what another limit refused has still been asked, and counts. */
  #refused(error: unknown): never {
    const window = fullWindow(error);
    if (window !== undefined) this.#left = window;
    else if (error instanceof ApiError) this.#counted = false;
    throw error;
  }

  async #limitsOf(tenant: string | undefined): Promise<Limits> {
    const { limits, tenants } = this.#parts;
    return tenant === undefined
      ? limits
      : withOverrides(limits, (await tenants.plan(tenant)).limits);
  }

  /** Addresses are personal: the store sees only their keyed hash. */
  async #caller() {
    const address = await this.#parts.signer.sign(addressBlock(this.#clientAddress));
    return { address, apiKeyId: this.#apiKey?.id };
  }
}

function pick(counted: RequestCount | undefined): Left {
  if (counted === undefined) return {};
  const { ip, key } = counted;
  return key === undefined ? { ip } : { ip, key };
}

/** The window behind a 429; `undefined` when it is about something else than a minute's requests. */
function fullWindow(error: unknown): Left | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { scope, limit, windowSeconds } = error.details ?? {};
  if (typeof scope !== "string" || typeof limit !== "number") return undefined;
  return windowSeconds === undefined ? undefined : { [scope]: { limit, remaining: 0 } };
}
