import type { AuditVerifier } from "../../services/audit/audit_verifier.ts";
import type { UserService } from "../../services/user_service.ts";
import type { Operators } from "../../services/tenants/operators.ts";
import { isoTime } from "../../platform/runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { KeyRestrictions } from "../../schemas/api_key.ts";
import { runAs } from "../../store/audit/actor.ts";
import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import type { HmacSecrets } from "../../store/credentials/hmac_secrets.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { Reencryption } from "../../store/reencryption/reencryption.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { ServiceMetrics } from "../telemetry/service_metrics.ts";
import {
  COMMAND_NAMES,
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOutputs,
  type Commands,
  parseCommandInput,
  type ParsedCommandInput,
} from "./commands.ts";

export interface CommandDeps {
  apiKeys: Pick<ApiKeyStore, "create" | "list" | "restrict" | "revoke" | "findByPrefix">;
  agents: { find(tenant: string, id: string): Promise<unknown> };
  auditVerifier: Pick<AuditVerifier, "logs" | "verify">;
  hmacSecrets: Pick<HmacSecrets, "discardOthers">;
  secrets: Pick<SecretStore, "set" | "list" | "delete" | "agentOf">;
  /** Absent if the commands run without a service. */
  metrics?: Pick<ServiceMetrics, "format" | "tenantLabel">;
  tenants: Pick<TenantStore, "get" | "ensureDefault" | "list">;
  users: Pick<UserService, "list" | "createResetLink" | "resetFactors">;
  operators: Pick<Operators, "grant" | "revokeByEmail">;
  baseUrl: string;
  reencryption: Pick<Reencryption, "run">;
}

type Handlers<Name extends CommandName = CommandName> = {
  [C in Name]: (input: ParsedCommandInput<C>) => Promise<CommandOutputs[C]>;
};
type Family<Name extends string> = Handlers<Extract<CommandName, `${Name}.${string}`>>;

/** All commands on an open store. The audit log names the command line as the actor. */
export function adminCommands(deps: CommandDeps): Commands {
  const handlers: Handlers = {
    ...keyCommands(deps),
    ...secretCommands(deps),
    ...userCommands(deps),
    ...auditCommands(deps),
    ...metricsCommands(deps),
  };
  const command = <C extends CommandName>(name: C) => async (input: CommandInput<C>) => {
    const parsed = parseCommandInput(name, input);
    return await runAs({ kind: "command_line" }, () => handlers[name](parsed)).catch((error) => {
      throw error instanceof ApiError ? new CommandError(error.message) : error;
    });
  };
  return Object.fromEntries(COMMAND_NAMES.map((name) => [name, command(name)])) as Commands;
}

function keyCommands({ apiKeys, hmacSecrets, tenants }: CommandDeps): Family<"keys"> {
  return {
    "keys.create": async ({ tenant, ...key }) =>
      await apiKeys.create(await resolveTenant(tenants, tenant), key),
    "keys.list": async ({ tenant }) => ({
      apiKeys: await apiKeys.list(await resolveTenant(tenants, tenant)),
    }),
    "keys.forget_secrets": async () => ({ signing: await hmacSecrets.discardOthers() }),
    "keys.restrict": async ({ prefix, tenant, agents, addresses }) => {
      const tenantId = await resolveTenant(tenants, tenant);
      const id = await apiKeys.findByPrefix(tenantId, prefix);
      const change: KeyRestrictions = {
        ...agents !== undefined && { agents: agents === "any" ? undefined : agents },
        ...addresses !== undefined && { addresses: addresses === "any" ? undefined : addresses },
      };
      const apiKey = id && await apiKeys.restrict(tenantId, id, change);
      if (!apiKey) throw new CommandError(`there is no active key with prefix ${prefix}`);
      return { apiKey };
    },
    "keys.revoke": async ({ prefix, tenant }) => {
      const tenantId = await resolveTenant(tenants, tenant);
      const id = await apiKeys.findByPrefix(tenantId, prefix);
      const apiKey = id === undefined ? null : await apiKeys.revoke(tenantId, id);
      if (apiKey === null) throw new CommandError(`there is no key with prefix ${prefix}`);
      return { apiKey };
    },
  };
}

function secretCommands(
  { agents, secrets, reencryption, tenants }: CommandDeps,
): Family<"secrets"> {
  return {
    "secrets.set": async ({ tenant, agentId, ...secret }) => {
      const tenantId = await resolveTenant(tenants, tenant);
      const current = await secrets.agentOf(tenantId, secret.name);
      if (agentId === undefined && current !== undefined) {
        // Setting only a new value must not open the secret to every agent.
        throw new CommandError(
          `${secret.name} is for agent ${current} alone: add --agent ${current}, or --agent any`,
        );
      }
      const agent = agentId === "any" ? undefined : agentId;
      if (agent !== undefined && await agents.find(tenantId, agent) === undefined) {
        throw new CommandError(`agent ${agent} not found`);
      }
      return { secret: await secrets.set(tenantId, { ...secret, agentId: agent }) };
    },
    "secrets.list": async ({ tenant }) => ({
      secrets: await secrets.list(await resolveTenant(tenants, tenant)),
    }),
    "secrets.delete": async ({ name, tenant }) => {
      const secret = await secrets.delete(await resolveTenant(tenants, tenant), name);
      if (secret === undefined) throw new CommandError(`there is no secret ${name}`);
      return { secret };
    },
    "secrets.reencrypt": async ({ forget = false }) => await reencryption.run({ forget }),
  };
}

function userCommands({ baseUrl, operators, tenants, users }: CommandDeps): Family<"users"> {
  return {
    "users.list": async ({ tenant }) => {
      const all = await users.list(await resolveTenant(tenants, tenant));
      return { users: all.map((user) => ({ ...user, createdAt: isoTime(user.createdAt) })) };
    },
    "users.reset": async ({ email }) => {
      const reset = await users.createResetLink(email);
      if (reset === undefined) throw new CommandError(`no user has the e-mail ${email}`);
      return { ...reset, baseUrl };
    },
    "users.reset_factors": async ({ email }) => {
      const reset = await users.resetFactors(email);
      if (reset === undefined) throw new CommandError(`no user has the e-mail ${email}`);
      return reset;
    },
    "users.operator": async ({ email, operator }) => {
      const result = operator ? await operators.grant(email) : await operators.revokeByEmail(email);
      if ("user" in result) return { email: result.user.email, changed: true };
      if (result.rejected === "unchanged") return { email, changed: false };
      throw new CommandError(
        result.rejected === "not_found"
          ? `no user has the e-mail ${email}`
          : "this is the last operator: grant the role to another user first",
      );
    },
  };
}

function auditCommands({ auditVerifier }: CommandDeps): Family<"audit"> {
  return {
    "audit.logs": async () => ({ logs: await auditVerifier.logs() }),
    "audit.verify": async ({ log, keys }) => {
      const logs = await auditVerifier.logs();
      if (!logs.some(({ id }) => id === log)) throw new CommandError(`there is no tenant ${log}`);
      return { report: await auditVerifier.verify(log, keys) };
    },
  };
}

function metricsCommands({ metrics, tenants }: CommandDeps): Family<"metrics"> {
  const requireMetrics = () => {
    if (metrics !== undefined) return metrics;
    throw new CommandError(
      "no service runs on this data folder; with KV_URL, read GET /metrics of the service",
    );
  };
  return {
    "metrics.show": async ({ format }) => ({ text: await requireMetrics().format(format) }),
    "metrics.tenants": async () => {
      const { tenantLabel } = requireMetrics();
      const all = await tenants.list();
      return { tenants: all.map(({ id, name }) => ({ label: tenantLabel(id), id, name })) };
    },
  };
}

/** The id of the named tenant, or of the default tenant if none is named. */
async function resolveTenant(
  tenants: CommandDeps["tenants"],
  id: string | undefined,
): Promise<string> {
  if (id === undefined) return (await tenants.ensureDefault()).id;
  if (await tenants.get(id) === undefined) throw new CommandError(`there is no tenant ${id}`);
  return id;
}
