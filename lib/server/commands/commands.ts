import { z } from "zod";
import type { ListedUser } from "../../services/user_service.ts";
import type { ApiKey } from "../../store/credentials/api_key_store.ts";
import type { ReencryptionReport } from "../../store/reencryption/reencryption.ts";
import { newApiKeySchema } from "../../schemas/api_key.ts";
import {
  newToolSecretSchema,
  type ToolSecretInfo,
  toolSecretNameSchema,
} from "../../schemas/tool_secret.ts";

const tenant = z.uuid("must be a tenant's id").optional();

/** The input of each command, parsed by the process that runs it. */
export const commandSchemas = {
  "keys.create": newApiKeySchema.extend({ tenant }),
  "keys.list": z.strictObject({ tenant }),
  "keys.forget_secrets": z.strictObject({}),
  "keys.revoke": z.strictObject({ prefix: z.string().regex(/^[0-9A-Za-z]{8}$/), tenant }),
  "secrets.set": newToolSecretSchema.extend({
    tenant,
    /** `any` opens the secret of one agent to all agents. */
    agentId: z.union([z.literal("any"), newToolSecretSchema.shape.agentId]),
  }),
  "secrets.list": z.strictObject({ tenant }),
  "secrets.delete": z.strictObject({ name: toolSecretNameSchema, tenant }),
  "users.list": z.strictObject({ tenant }),
  "users.reset": z.strictObject({ email: z.string().max(254) }),
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
  "keys.revoke": { apiKey: ApiKey };
  "secrets.set": { secret: ToolSecretInfo };
  "secrets.list": { secrets: ToolSecretInfo[] };
  "secrets.delete": { secret: ToolSecretInfo };
  "users.list": { users: (Omit<ListedUser, "createdAt"> & { createdAt: string })[] };
  /** `token` opens the account once, within an hour. */
  "users.reset": { email: string; token: string; baseUrl: string };
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
