import { parseArgs } from "node:util";
import type { CommandInput } from "../lib/process/commands.ts";
import { UsageError } from "./usage_error.ts";

/** A command line understood; the value to set comes from standard input. */
export type SecretsArgs =
  | { action: "set"; input: Omit<CommandInput<"secrets.set">, "value"> }
  | { action: "list"; input: CommandInput<"secrets.list"> }
  | { action: "delete"; input: CommandInput<"secrets.delete"> };

export const SECRETS_HELP =
  `Sets, lists and deletes secrets of tools, whether or not the service runs.

  deno task secrets set NAME --domains a,b [--agent ID] [--tenant ID]
      reads the value from standard input, at least 8 characters; an agent's tool sends it as
      {{secret.NAME}}
  deno task secrets list [--tenant ID]
      names, domains, agents and times; a value is never shown
  deno task secrets delete NAME [--tenant ID]

  NAME       upper-case letters, digits and _, beginning with a letter
  --domains  1-16 hosts it may be sent to, such as api.example.com or *.example.com:8443
  --agent    the id of the one agent that may send it, or any; without it, any agent may
  --tenant   the tenant's id; without it, the default tenant`;

/** Understands the words after `deno task secrets`, or throws `UsageError`. */
export function parseSecretsArgs(words: string[]): SecretsArgs | { action: "help" } {
  const { values, positionals } = split(words);
  const [action, name, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  const tenant = values.tenant === undefined ? {} : { tenant: values.tenant };
  const extra = action === "list" ? name : rest[0];
  for (const option of ["domains", "agent"] as const) {
    if (action === "set" || values[option] === undefined) continue;
    throw new UsageError(`--${option} belongs to set`);
  }
  if (extra !== undefined) throw new UsageError(`what is "${extra}"?`);
  switch (action) {
    case "set":
      return {
        action,
        input: {
          name: nameOf(name, action),
          domains: domainsOf(values.domains),
          ...values.agent !== undefined && { agentId: values.agent },
          ...tenant,
        },
      };
    case "list":
      return { action, input: tenant };
    case "delete":
      return { action, input: { name: nameOf(name, action), ...tenant } };
    case undefined:
      throw new UsageError("say what to do: set, list or delete");
    default:
      throw new UsageError(`there is no "${action}": set, list or delete`);
  }
}

function split(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        domains: { type: "string" },
        agent: { type: "string" },
        tenant: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "unreadable options");
  }
}

function nameOf(name: string | undefined, action: string): string {
  if (name === undefined) throw new UsageError(`say which secret: ${action} NAME`);
  return name;
}

function domainsOf(text: string | undefined): string[] {
  if (text === undefined) throw new UsageError("--domains is missing: where may it be sent?");
  return text.split(",").map((word) => word.trim());
}
