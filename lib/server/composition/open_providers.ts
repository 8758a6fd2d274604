import { ModelAccess } from "../../billing/model_access.ts";
import { ModelRegistry } from "../../providers/model_registry.ts";
import {
  type CatalogueEntry,
  catalogueEntrySchema,
  CatalogueStore,
} from "../../store/providers/catalogue_store.ts";
import { CONNECTIONS_PURPOSE, ConnectionStore } from "../../store/providers/connection_store.ts";
import { StartupError } from "../process/startup_error.ts";
import type { CoreDeps } from "./core_deps.ts";
import { z } from "zod";

export type ProviderServices = Awaited<ReturnType<typeof openProviders>>;

/** Adds `entries` to the catalogue and loads it and the connections into memory. */
export async function openProviders(
  { config, kv, metrics, runtime, log, sealer, tenants, tracing }: CoreDeps,
  entries: readonly CatalogueEntry[],
) {
  const registry = new ModelRegistry(runtime, {
    providers: config.connections,
    tracing,
    onSuccess: (provider) => metrics.chat.onResponse(provider),
    onFailure: (event) => {
      metrics.chat.onFailure(event);
      log.warn("a model provider failed", { ...event });
    },
  });
  const connections = new ConnectionStore(kv, { runtime, sealer: sealer(CONNECTIONS_PURPOSE) });
  const loadConnections = async () => {
    const { connections: unsealed, unreadable } = await connections.unsealAll();
    for (const vendor of unreadable) log.error("cannot decrypt a provider credential", { vendor });
    registry.configure(unsealed);
  };
  const { demoModel } = config;
  const catalogue = new CatalogueStore(kv, { demoModel, refresh: loadConnections });
  await catalogue.addMissing(entries);
  await catalogue.list();
  return { registry, connections, catalogue, access: new ModelAccess({ catalogue, tenants }) };
}

/** The entries of the `CATALOGUE` file; none without a file. Throws `StartupError`. */
export async function readCatalogue(path: string | undefined): Promise<CatalogueEntry[]> {
  if (path === undefined) return [];
  const parsed = z.array(catalogueEntrySchema).safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((i) => `  ${i.path.join(".") || "file"}: ${i.message}`);
  throw new StartupError(`CATALOGUE ${path} is not usable:\n${issues.join("\n")}`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new StartupError(`CATALOGUE ${path} ${why}`, { cause: error });
  }
}
