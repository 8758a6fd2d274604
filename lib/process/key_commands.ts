import type { ApiKeyStore } from "../storage/api_key_store.ts";
import type { TenantStore } from "../storage/tenant_store.ts";
import { CommandError, type Commands, parseCommandInput } from "./commands.ts";

/** The key commands on open stores; without a tenant they mean the installation's default one. */
export function keyCommands(
  { apiKeys, tenants }: {
    apiKeys: Pick<ApiKeyStore, "create" | "list" | "revoke" | "findByPrefix">;
    tenants: Pick<TenantStore, "get" | "ensureDefault">;
  },
): Commands {
  const tenantId = async (id: string | undefined): Promise<string> => {
    if (id === undefined) return (await tenants.ensureDefault()).id;
    if (await tenants.get(id) === undefined) throw new CommandError(`there is no tenant ${id}`);
    return id;
  };
  return {
    "keys.create": async (input) => {
      const { tenant, ...key } = parseCommandInput("keys.create", input);
      return await apiKeys.create(await tenantId(tenant), key);
    },
    "keys.list": async (input) => {
      const { tenant } = parseCommandInput("keys.list", input);
      return { apiKeys: await apiKeys.list(await tenantId(tenant)) };
    },
    "keys.revoke": async (input) => {
      const { prefix, tenant } = parseCommandInput("keys.revoke", input);
      const owner = await tenantId(tenant);
      const id = await apiKeys.findByPrefix(owner, prefix);
      const apiKey = id === undefined ? null : await apiKeys.revoke(owner, id);
      if (apiKey === null) throw new CommandError(`there is no key with prefix ${prefix}`);
      return { apiKey };
    },
  };
}
