import { Signer } from "@/lib/platform/crypto/signer.ts";
import { ApiKeyStore } from "@/lib/store/credentials/api_key_store.ts";
import { type CatalogueEntry, CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import type { Runtime } from "@/lib/platform/runtime.ts";
import { catalogueEntry } from "../chat.ts";
import { TEST_HMAC_SECRET } from "../service.ts";
import type { FleetProvider } from "./fleet_provider.ts";

/** One process of a fleet, seen from outside. */
export interface FleetProcess {
  /** Its address, without a trailing slash. */
  readonly url: string;
}

/**
 * Several processes of the service on one store. A scenario sees them as clients and operators do: over
 * HTTP, by signals and by the clock, so that it holds for every kind of fleet.
 */
export interface Fleet extends AsyncDisposable {
  readonly vendor: FleetProvider;
  readonly operator: Operator;
  /** Those that are alive. */
  readonly processes: readonly FleetProcess[];
  /** Starts one more. */
  start(): Promise<FleetProcess>;
  /** Ends a process as `kill -9` does. */
  kill(process: FleetProcess): Promise<void>;
  /** Makes the store unreachable for every process; call the result to make it reachable again. */
  interruptStore(): Promise<() => Promise<void>>;
  /** The clock of the processes, in milliseconds. */
  now(): number;
  /** Lets `ms` milliseconds pass on the clock of the processes. */
  pass(ms: number): Promise<void>;
  /**
   * Lets time pass until `condition` holds. Throws when it does not within `ms` milliseconds on the clock
   * of the processes.
   */
  within(ms: number, condition: () => Promise<boolean>): Promise<void>;
  /** A moment, for a client that waits before it tries again. */
  pause(): Promise<void>;
}

/** Operator actions that bypass the processes: keys, tenants and plans, written directly to the store. */
export interface Operator {
  readonly tenants: TenantStore;
  readonly apiKeys: ApiKeyStore;
}

/** The environment of each process of a fleet; each client names its own address. */
export function fleetEnv(vendor: FleetProvider): Record<string, string> {
  return {
    TRUSTED_PROXY_HOPS: "1",
    VENDOR_B_BASE_URL: vendor.url,
    VENDOR_B_API_KEY: "sk-ant-test-0123456789abcdef",
  };
}

/** USD a million tokens, which is micro-USD a token: only output costs, so that a cost is exact. */
export const TOKEN_COST = 15;

const MODEL: CatalogueEntry = catalogueEntry({
  vendor: "vendor_b",
  inputUsdPerMTok: 0,
  outputUsdPerMTok: TOKEN_COST,
});

/** The operator of an empty store, which has the fleet's model from then on. */
export async function openOperator(kv: Deno.Kv, runtime: Runtime): Promise<Operator> {
  await new CatalogueStore(kv, { demoModel: true }).addMissing([MODEL]);
  return {
    tenants: new TenantStore(kv, runtime),
    apiKeys: new ApiKeyStore(kv, { runtime, signer: new Signer([TEST_HMAC_SECRET]) }),
  };
}
