import type { UserService } from "../accounts/user_admin.ts";
import { runAs } from "../audit/acting.ts";
import type { ApiKeyStore } from "../storage/api_key_store.ts";
import type { Reencryption } from "../storage/reencryption.ts";
import type { SecretStore } from "../storage/secret_store.ts";
import type { TenantStore } from "../storage/tenant_store.ts";
import type { Commands } from "./commands.ts";
import { type HmacSecretList, keyCommands } from "./key_commands.ts";
import { type AgentLookup, secretCommands } from "./secret_commands.ts";
import { tenantResolver } from "./tenant_finder.ts";
import { userCommands } from "./user_commands.ts";

/** What commands work on. */
export interface CommandDeps {
  apiKeys: Pick<ApiKeyStore, "create" | "list" | "revoke" | "findByPrefix">;
  agents: AgentLookup;
  hmacSecrets: HmacSecretList;
  secrets: Pick<SecretStore, "set" | "list" | "delete" | "agentOf">;
  tenants: Pick<TenantStore, "get" | "ensureDefault">;
  users: Pick<UserService, "list" | "createResetLink">;
  /** Where the dashboard is reached, without a trailing slash. */
  baseUrl: string;
  reencryption: Pick<Reencryption, "run">;
}

/** Every command; without a tenant they mean the installation's default one. */
export function adminCommands(stores: CommandDeps): Commands {
  const { apiKeys, baseUrl, hmacSecrets, tenants, users } = stores;
  const tenantId = tenantResolver(tenants);
  return withCommandLineActor({
    ...keyCommands({ apiKeys, hmacSecrets, tenantId }),
    ...secretCommands({ ...stores, tenantId }),
    ...userCommands({ users, tenantId, baseUrl }),
  });
}

/** The commands with the command line as the author of what they change. */
function withCommandLineActor(commands: Commands): Commands {
  const entries = Object.entries(commands).map(([name, run]) => [
    name,
    (input: never) => runAs({ kind: "command_line" }, () => run(input)),
  ]);
  return Object.fromEntries(entries) as Commands;
}
