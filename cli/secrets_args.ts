import type { CommandInput } from "../lib/server/commands/commands.ts";
import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. The value to set comes from standard input. */
export type SecretsArgs =
  | { action: "set"; input: Omit<CommandInput<"secrets.set">, "value"> }
  | { action: "list"; input: CommandInput<"secrets.list"> }
  | { action: "delete"; input: CommandInput<"secrets.delete"> }
  | { action: "reencrypt"; input: CommandInput<"secrets.reencrypt"> };

export const SECRETS_HELP =
  `Sets, lists and deletes secrets of tools, and encrypts the store under a new key, whether or
not the service is running.

  deno task secrets set NAME --domains a,b [--agent ID] [--tenant ID]
      reads the value from standard input, at least 8 characters; an agent's tool sends it as
      {{secret.NAME}}
  deno task secrets list [--tenant ID]
      names, domains, agents and times; a value is never shown
  deno task secrets delete NAME [--tenant ID]
  deno task secrets reencrypt [--forget]
      encrypts everything under the first key of ENCRYPTION_KEY: conversations, run logs, secrets
      and provider credentials that are under another key of the list or not encrypted yet. Can
      be interrupted and run again. Replaced values remain in unused parts of the store's file until
      deno task compact rewrites it

  NAME       upper-case letters, digits and _, beginning with a letter
  --domains  1-16 hosts it may be sent to, such as api.example.com or *.example.com:8443
  --agent    the id of the one agent that may send it, or any; without it, any agent may
  --tenant   the tenant's id; without it, the default tenant
  --forget   gives up values under lost keys, so that the service starts without those keys

Exit codes: 0 done, 1 failed or not all could be decrypted, 2 wrong usage.`;

const OPTIONS = {
  domains: { type: "string" },
  agent: { type: "string" },
  tenant: { type: "string" },
  forget: { type: "boolean" },
} as const;

/** Parses the arguments of `deno task secrets`. Throws `UsageError`. */
export function parseSecretsArgs(words: string[]): SecretsArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, OPTIONS);
  const [action, name, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  const tenant = values.tenant === undefined ? {} : { tenant: values.tenant };
  const extra = action === "list" || action === "reencrypt" ? name : rest[0];
  for (const option of ["domains", "agent"] as const) {
    if (action === "set" || values[option] === undefined) continue;
    throw new UsageError(`--${option} is only valid with set`);
  }
  if (action !== "reencrypt" && values.forget !== undefined) {
    throw new UsageError("--forget is only valid with reencrypt");
  }
  if (action === "reencrypt" && values.tenant !== undefined) {
    throw new UsageError("reencrypt applies to all tenants: omit --tenant");
  }
  rejectExtra([extra]);
  switch (action) {
    case "set":
      return {
        action,
        input: {
          name: requireName(name, action),
          domains: parseDomains(values.domains),
          ...values.agent !== undefined && { agentId: values.agent },
          ...tenant,
        },
      };
    case "list":
      return { action, input: tenant };
    case "delete":
      return { action, input: { name: requireName(name, action), ...tenant } };
    case "reencrypt":
      return { action, input: values.forget === undefined ? {} : { forget: values.forget } };
    default:
      throw unknownAction(action, "set, list, delete or reencrypt");
  }
}

function requireName(name: string | undefined, action: string): string {
  if (name === undefined) throw new UsageError(`missing name: ${action} NAME`);
  return name;
}

function parseDomains(text: string | undefined): string[] {
  if (text === undefined) {
    throw new UsageError("--domains is missing: list the hosts that it may be sent to");
  }
  return text.split(",").map((word) => word.trim());
}
