import type { UserService } from "../../services/user_service.ts";
import { isoTime } from "../../platform/runtime.ts";
import {
  CommandError,
  type CommandFamily,
  type Commands,
  parseCommandInput,
  type ResolveTenant,
  tenantResolver,
} from "./commands.ts";
import { runAs } from "../../store/audit/actor.ts";
import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import type { Reencryption } from "../../store/reencryption/reencryption.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import { type HmacSecretList, keyCommands } from "./key_commands.ts";
import { type AgentLookup, secretCommands } from "./secret_commands.ts";

/** The commands for users on an open store. */
export function userCommands(
  { users, tenantId, baseUrl }: {
    users: Pick<UserService, "list" | "createResetLink">;
    tenantId: ResolveTenant;
    /** Where the dashboard is reached, without a trailing slash. */
    baseUrl: string;
  },
): CommandFamily<"users"> {
  return {
    "users.list": async (input) => {
      const { tenant } = parseCommandInput("users.list", input);
      const all = await users.list(await tenantId(tenant));
      return { users: all.map((user) => ({ ...user, createdAt: isoTime(user.createdAt) })) };
    },
    "users.reset": async (input) => {
      const { email } = parseCommandInput("users.reset", input);
      const reset = await users.createResetLink(email);
      if (reset === undefined) throw new CommandError(`no user has the e-mail ${email}`);
      return { ...reset, baseUrl };
    },
  };
}

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
