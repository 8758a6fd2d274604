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
import type { TenantStore } from "../../store/tenants/tenant_store.ts";

const tenant = z.uuid("must be a tenant's id").optional();

/** What each command takes; checked where it runs, whichever way it came. */
export const commandSchemas = {
  "keys.create": newApiKeySchema.extend({ tenant }),
  "keys.list": z.strictObject({ tenant }),
  "keys.forget_secrets": z.strictObject({}),
  "keys.revoke": z.strictObject({ prefix: z.string().regex(/^[0-9A-Za-z]{8}$/), tenant }),
  "secrets.set": newToolSecretSchema.extend({
    tenant,
    /** `any` makes a secret that was one agent's everybody's again. */
    agentId: z.union([z.literal("any"), newToolSecretSchema.shape.agentId]),
  }),
  "secrets.list": z.strictObject({ tenant }),
  "secrets.delete": z.strictObject({ name: toolSecretNameSchema, tenant }),
  "users.list": z.strictObject({ tenant }),
  "users.reset": z.strictObject({ email: z.string().max(254) }),
  "secrets.reencrypt": z.strictObject({ forget: z.boolean().optional() }),
} as const;

export type CommandName = keyof typeof commandSchemas;
export type CommandInput<C extends CommandName> = z.input<typeof commandSchemas[C]>;

/** What each command answers. */
export interface CommandOutputs {
  /** `secret` is the whole key: it is not to be had again. */
  "keys.create": { apiKey: ApiKey; secret: string };
  "keys.list": { apiKeys: ApiKey[] };
  /** The id of the secret that the store signs with from now on. */
  "keys.forget_secrets": { signing: string };
  "keys.revoke": { apiKey: ApiKey };
  "secrets.set": { secret: ToolSecretInfo };
  "secrets.list": { secrets: ToolSecretInfo[] };
  "secrets.delete": { secret: ToolSecretInfo };
  "users.list": { users: (Omit<ListedUser, "createdAt"> & { createdAt: string })[] };
  /** `token` opens the account once, within an hour; the link to it begins with `baseUrl`. */
  "users.reset": { email: string; token: string; baseUrl: string };
  "secrets.reencrypt": ReencryptionReport;
}

/** The commands, whether they run in this process or behind the control socket. */
export type Commands = {
  [C in CommandName]: (input: CommandInput<C>) => Promise<CommandOutputs[C]>;
};

/** The commands of one family: those whose names begin with it. */
export type CommandFamily<Family extends string> = Pick<
  Commands,
  Extract<CommandName, `${Family}.${string}`>
>;

/** A command that cannot be done; the message is for whoever typed it. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** The input as its schema has it, or a `CommandError` that names each fault and no value. */
export function parseCommandInput<C extends CommandName>(
  command: C,
  input: unknown,
): z.output<typeof commandSchemas[C]> {
  const parsed = commandSchemas[command].safeParse(input);
  if (parsed.success) return parsed.data as z.output<typeof commandSchemas[C]>;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new CommandError(faults.join("; "));
}

/** The tenant that a command means: the one named, or the installation's default one. */
export type ResolveTenant = (id: string | undefined) => Promise<string>;

/** Finds it on an open store; a tenant that is not there is a `CommandError`. */
export function tenantResolver(
  tenants: Pick<TenantStore, "get" | "ensureDefault">,
): ResolveTenant {
  return async (id) => {
    if (id === undefined) return (await tenants.ensureDefault()).id;
    if (await tenants.get(id) === undefined) throw new CommandError(`there is no tenant ${id}`);
    return id;
  };
}
