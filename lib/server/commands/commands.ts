import { z } from "zod";
import type { AuditReport } from "../../services/audit/audit_report.ts";
import type { ListedUser } from "../../services/user_service.ts";
import { INSTALLATION } from "../../store/audit/audit_record.ts";
import type { ApiKey } from "../../store/credentials/api_key_store.ts";
import type { ReencryptionReport } from "../../store/reencryption/reencryption.ts";
import { METRICS_FORMATS } from "../../platform/metrics/format_metrics.ts";
import { keyRestrictionsSchema, newApiKeySchema } from "../../schemas/api_key.ts";
import {
  newToolSecretSchema,
  type ToolSecretInfo,
  toolSecretNameSchema,
} from "../../schemas/tool_secret.ts";

const tenant = z.uuid("must be a tenant's id").optional();
const prefix = z.string().regex(/^[0-9A-Za-z]{8}$/);

/** The input of each command, parsed by the process that runs it. */
export const commandSchemas = {
  "keys.create": newApiKeySchema.extend({ tenant }),
  "keys.list": z.strictObject({ tenant }),
  "keys.forget_secrets": z.strictObject({}),
  "keys.restrict": z.strictObject({
    ...{ prefix, tenant },
    /** `any` lifts a restriction; one that is left out stays. */
    agents: z.union([z.literal("any"), keyRestrictionsSchema.shape.agents], {
      error: "must be any, or 1 to 50 ids of agents",
    }),
    addresses: z.union([z.literal("any"), keyRestrictionsSchema.shape.addresses], {
      error: "must be any, or 1 to 50 IP addresses and networks such as 203.0.113.0/24",
    }),
  }),
  "keys.revoke": z.strictObject({ prefix, tenant }),
  "secrets.set": newToolSecretSchema.extend({
    tenant,
    /** `any` opens the secret of one agent to all agents. */
    agentId: z.union([z.literal("any"), newToolSecretSchema.shape.agentId]),
  }),
  "secrets.list": z.strictObject({ tenant }),
  "secrets.delete": z.strictObject({ name: toolSecretNameSchema, tenant }),
  "users.list": z.strictObject({ tenant }),
  "users.reset": z.strictObject({ email: z.string().max(254) }),
  "users.reset_factors": z.strictObject({ email: z.string().max(254) }),
  "users.operator": z.strictObject({ email: z.string().max(254), operator: z.boolean() }),
  "audit.logs": z.strictObject({}),
  "audit.verify": z.strictObject({
    log: z.union([z.literal(INSTALLATION), z.uuid("must be a tenant's id")]),
    /** The ids of the keys that may have signed; by default those that the store has. */
    keys: z.array(z.string().max(100)).max(20).optional(),
  }),
  "metrics.show": z.strictObject({ format: z.enum(METRICS_FORMATS) }),
  "metrics.tenants": z.strictObject({}),
  "secrets.reencrypt": z.strictObject({ forget: z.boolean().optional() }),
} as const;

export type CommandName = keyof typeof commandSchemas;
export const COMMAND_NAMES = Object.keys(commandSchemas) as CommandName[];
export type CommandInput<C extends CommandName> = z.input<typeof commandSchemas[C]>;
export type ParsedCommandInput<C extends CommandName> = z.output<typeof commandSchemas[C]>;

export interface CommandOutputs {
  /** `secret` is the whole key. It is not stored and cannot be shown again. */
  "keys.create": { apiKey: ApiKey; secret: string };
  "keys.list": { apiKeys: ApiKey[] };
  /** The id of the secret that now signs. */
  "keys.forget_secrets": { signing: string };
  "keys.restrict": { apiKey: ApiKey };
  "keys.revoke": { apiKey: ApiKey };
  "secrets.set": { secret: ToolSecretInfo };
  "secrets.list": { secrets: ToolSecretInfo[] };
  "secrets.delete": { secret: ToolSecretInfo };
  "users.list": { users: (Omit<ListedUser, "createdAt"> & { createdAt: string })[] };
  /** `token` opens the account once, within an hour. */
  "users.reset": { email: string; token: string; baseUrl: string };
  /** False if the user had no second factor. */
  "users.reset_factors": { email: string; changed: boolean };
  /** False if the user was an operator, or none, before. */
  "users.operator": { email: string; changed: boolean };
  "audit.logs": { logs: { id: string; name: string }[] };
  "audit.verify": { report: AuditReport };
  "metrics.show": { text: string };
  "metrics.tenants": { tenants: { label: string; id: string; name: string }[] };
  "secrets.reencrypt": ReencryptionReport;
}

/** The commands, run in this process or through the control socket. */
export type Commands = {
  [C in CommandName]: (input: CommandInput<C>) => Promise<CommandOutputs[C]>;
};

export class CommandError extends Error {
  override name = "CommandError";
}

/** Parses a command's input. Throws a `CommandError` that lists every issue and quotes no value. */
export function parseCommandInput<C extends CommandName>(
  command: C,
  input: unknown,
): ParsedCommandInput<C> {
  const parsed = commandSchemas[command].safeParse(input);
  if (parsed.success) return parsed.data as ParsedCommandInput<C>;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new CommandError(issues.join("; "));
}
