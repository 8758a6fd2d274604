import type { CommandInput } from "../lib/server/commands/commands.ts";
import { type Scope, SCOPE_NAMES, SCOPES } from "../lib/schemas/scopes.ts";
import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. */
export type KeysArgs =
  | { action: "create"; input: CommandInput<"keys.create"> }
  | { action: "list"; input: CommandInput<"keys.list"> }
  | { action: "revoke"; input: CommandInput<"keys.revoke"> }
  | { action: "forget-secrets"; input: CommandInput<"keys.forget_secrets"> };

const SCOPE_LINES = SCOPE_NAMES.map((name) => `  ${name.padEnd(20)} ${SCOPES[name]}`).join("\n");

export const KEYS_HELP =
  `Creates, lists and revokes API keys, whether or not the service is running.

  deno task keys create --name NAME --scopes a,b [--expires TIME] [--tenant ID]
      prints only the new key on standard output; it is not shown again
  deno task keys list [--tenant ID]
  deno task keys revoke PREFIX [--tenant ID]
      PREFIX is the 8 characters after ck_live_
  deno task keys forget-secrets
      replaces a lost API_KEY_HMAC_SECRET of the store by the current one. Keys made with the lost
      one stop working

  --tenant   the tenant's id; without it, the default tenant
  --expires  ISO 8601 time, such as 2030-01-31T00:00:00Z; without it, never

Scopes (a :write scope includes its :read; a key with :read scopes only cannot chat):
${SCOPE_LINES}`;

const PREFIX = /^(?:ck_live_)?([0-9A-Za-z]{8})(?:_[0-9A-Za-z]*)?$/;

const OPTIONS = {
  name: { type: "string" },
  scopes: { type: "string" },
  tenant: { type: "string" },
  expires: { type: "string" },
} as const;

/** Parses the arguments of `deno task keys`. Throws `UsageError`. */
export function parseKeysArgs(words: string[]): KeysArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, OPTIONS);
  const [action, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  const tenant = values.tenant === undefined ? {} : { tenant: values.tenant };
  rejectExtra(action === "revoke" ? rest.slice(1) : rest);
  if (action !== "create") rejectCreateOptions(values);
  switch (action) {
    case "create":
      return { action, input: { ...createInput(values), ...tenant } };
    case "list":
      return { action, input: tenant };
    case "revoke":
      return { action, input: { prefix: parsePrefix(rest[0]), ...tenant } };
    case "forget-secrets":
      if (values.tenant !== undefined) throw new UsageError("forget-secrets is for all tenants");
      return { action, input: {} };
    default:
      throw unknownAction(action, "create, list, revoke or forget-secrets");
  }
}

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];

function createInput({ name, scopes, expires }: Values): CommandInput<"keys.create"> {
  if (name === undefined || name.trim() === "") throw new UsageError("--name NAME is missing");
  if (name.trim().length > 128) throw new UsageError("--name takes at most 128 characters");
  if (scopes === undefined) {
    throw new UsageError(`--scopes is missing: a comma list of ${SCOPE_NAMES.join(", ")}`);
  }
  const input = { name, scopes: parseScopes(scopes) };
  if (expires === undefined) return input;
  const at = Date.parse(expires);
  if (Number.isNaN(at)) throw new UsageError("--expires takes a time such as 2030-01-31T00:00:00Z");
  return { ...input, expiresAt: new Date(at).toISOString() };
}

function parseScopes(text: string): Scope[] {
  return text.split(",").map((word) => {
    const scope = SCOPE_NAMES.find((name) => name === word.trim());
    if (scope !== undefined) return scope;
    throw new UsageError(`unknown scope "${word.trim()}": use ${SCOPE_NAMES.join(", ")}`);
  });
}

/** Accepts the prefix or the whole key, for pasting a leaked key. */
function parsePrefix(word: string | undefined): string {
  if (word === undefined) throw new UsageError("missing key: revoke PREFIX");
  const [, prefix] = PREFIX.exec(word) ?? [];
  if (prefix === undefined) throw new UsageError("PREFIX is the 8 characters after ck_live_");
  return prefix;
}

function rejectCreateOptions(values: Values): void {
  for (const option of ["name", "scopes", "expires"] as const) {
    if (values[option] !== undefined) throw new UsageError(`--${option} is only valid with create`);
  }
}
