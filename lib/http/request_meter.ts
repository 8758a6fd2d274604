import { addressBlock } from "../accounts/address_block.ts";
import type { Signer } from "../credentials/hashing.ts";
import type { Admission, AdmittedRun, RequestCount, RunRequest } from "../limits/admission.ts";
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

/**
 * Counts one /v1 request, once: with its API key when that is known, with its message when it is one,
 * and at the latest when it has been refused for another reason.
 */
export class RequestMeter {
  #parts: MeterParts;
  #clientAddress: string;
  #apiKey: ApiKeyIdentity | undefined;
  #counted = false;
  #left: RequestCount | undefined;
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
    this.#left = await this.#parts.admission.countRequest(await this.#caller(), limits);
  }

  /** Counts the request as a message and lets its run in; `undefined` when the session has ended. */
  async admit(
    run: Pick<RunRequest, "runId" | "tenant" | "hold" | "sessionHash">,
  ): Promise<AdmittedRun | undefined> {
    this.#counted = true;
    const limits = await this.#limitsOf(run.tenant);
    const caller = await this.#caller();
    const admitted = await this.#parts.admission.admit({ ...run, caller, limits });
    this.#left = admitted;
    this.#softLimitPassed = admitted?.softLimitPassed === true;
    // A session that ended meanwhile is refused for another reason than a limit: that counts.
    if (admitted === undefined) this.#counted = false;
    return admitted;
  }

  /** Puts what is left, and the plan's warning, into an answer. */
  setHeaders(headers: Headers): void {
    if (this.#softLimitPassed) headers.set("x-plan-warning", "daily_cost_soft_limit");
    const windows = Object.entries(this.#left ?? {})
      .filter(([name]) => name === "ip" || name === "key");
    if (windows.length === 0) return;
    const items = (item: (name: string, left: RequestCount["ip"]) => string) =>
      windows.map(([name, left]) => item(name, left)).join(", ");
    headers.set("ratelimit-policy", items((name, { limit }) => `"${name}";q=${limit};w=60`));
    headers.set("ratelimit", items((name, { remaining }) => `"${name}";r=${remaining};t=60`));
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
