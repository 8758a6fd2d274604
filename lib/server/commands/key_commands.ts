import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import {
  CommandError,
  type CommandFamily,
  parseCommandInput,
  type ResolveTenant,
} from "./commands.ts";

/** The HMAC secrets of the process. */
export interface HmacSecretList {
  /** Makes them the only ones that the store is used with; answers the id of the first. */
  discardOthers(): Promise<string>;
}

/** The key commands on an open store. */
export function keyCommands(
  { apiKeys, hmacSecrets, tenantId }: {
    apiKeys: Pick<ApiKeyStore, "create" | "list" | "revoke" | "findByPrefix">;
    hmacSecrets: HmacSecretList;
    tenantId: ResolveTenant;
  },
): CommandFamily<"keys"> {
  return {
    "keys.create": async (input) => {
      const { tenant, ...key } = parseCommandInput("keys.create", input);
      return await apiKeys.create(await tenantId(tenant), key);
    },
    "keys.list": async (input) => {
      const { tenant } = parseCommandInput("keys.list", input);
      return { apiKeys: await apiKeys.list(await tenantId(tenant)) };
    },
    "keys.forget_secrets": async (input) => {
      parseCommandInput("keys.forget_secrets", input);
      return { signing: await hmacSecrets.discardOthers() };
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
