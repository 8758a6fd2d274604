import type { CommandInput } from "../lib/server/commands/commands.ts";
import type { KeyRestrictions } from "../lib/schemas/api_key.ts";
import { type Scope, SCOPE_NAMES, SCOPES } from "../lib/schemas/scopes.ts";
import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. */
export type KeysArgs =
  | { action: "create"; input: CommandInput<"keys.create"> }
  | { action: "list"; input: CommandInput<"keys.list"> }
  | { action: "restrict"; input: CommandInput<"keys.restrict"> }
  | { action: "revoke"; input: CommandInput<"keys.revoke"> }
  | { action: "forget-secrets"; input: CommandInput<"keys.forget_secrets"> };

const SCOPE_LINES = SCOPE_NAMES.map((name) => `  ${name.padEnd(20)} ${SCOPES[name]}`).join("\n");

export const KEYS_HELP =
  `Creates, lists and revokes API keys, whether or not the service is running.

  deno task keys create --name NAME --scopes a,b [--purpose TEXT] [--expires TIME]
      [--agents ID,ID] [--addresses NETWORK,NETWORK] [--tenant ID]
      prints only the new key on standard output; it is not shown again
  deno task keys restrict PREFIX [--agents ID,ID] [--addresses NETWORK,NETWORK] [--tenant ID]
      changes the restrictions of a key from its next request on; "any" lifts one
  deno task keys list [--tenant ID]
  deno task keys revoke PREFIX [--tenant ID]
      PREFIX is the 8 characters after ck_live_
  deno task keys forget-secrets
      replaces a lost API_KEY_HMAC_SECRET of the store by the current one. Keys made with the lost
      one stop working

  --tenant   the tenant's id; without it, the default tenant
  --purpose  what the key is for, at most 200 characters
  --agents   ids of agents: the key reaches no others, and nothing that concerns all of them
  --addresses  IP addresses or networks, such as 203.0.113.0/24: others are rejected
  --expires  ISO 8601 time, such as 2030-01-31T00:00:00Z; without it, never

Scopes (a :write scope includes its :read; a key with :read scopes only cannot chat):
${SCOPE_LINES}`;

const PREFIX = /^(?:ck_live_)?([0-9A-Za-z]{8})(?:_[0-9A-Za-z]*)?$/;

const OPTIONS = {
  name: { type: "string" },
  scopes: { type: "string" },
  tenant: { type: "string" },
  expires: { type: "string" },
  purpose: { type: "string" },
  agents: { type: "string" },
  addresses: { type: "string" },
} as const;

/** Parses the arguments of `deno task keys`. Throws `UsageError`. */
export function parseKeysArgs(words: string[]): KeysArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, OPTIONS);
  const [action, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  const tenant = values.tenant === undefined ? {} : { tenant: values.tenant };
  rejectExtra(action === "revoke" || action === "restrict" ? rest.slice(1) : rest);
  rejectOptions(values, OPTIONS_OF[action ?? ""] ?? []);
  switch (action) {
    case "create":
      return { action, input: { ...createInput(values), ...tenant } };
    case "list":
      return { action, input: tenant };
    case "revoke":
      return { action, input: { prefix: parsePrefix(rest[0], action), ...tenant } };
    case "restrict": {
      const prefix = parsePrefix(rest[0], action);
      if (values.agents === undefined && values.addresses === undefined) {
        throw new UsageError("restrict takes --agents, --addresses, or both; any lifts them");
      }
      return { action, input: { prefix, ...changes(values), ...tenant } };
    }
    case "forget-secrets":
      if (values.tenant !== undefined) throw new UsageError("forget-secrets is for all tenants");
      return { action, input: {} };
    default:
      throw unknownAction(action, "create, list, restrict, revoke or forget-secrets");
  }
}

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];

function createInput(values: Values): CommandInput<"keys.create"> {
  const { name, scopes, expires, purpose } = values;
  if (name === undefined || name.trim() === "") throw new UsageError("--name NAME is missing");
  if (name.trim().length > 128) throw new UsageError("--name takes at most 128 characters");
  if (scopes === undefined) {
    throw new UsageError(`--scopes is missing: a comma list of ${SCOPE_NAMES.join(", ")}`);
  }
  const input = {
    ...{ name, scopes: parseScopes(scopes) },
    ...purpose !== undefined && { purpose },
    ...restrictions(values),
  };
  if (expires === undefined) return input;
  const at = Date.parse(expires);
  if (Number.isNaN(at)) throw new UsageError("--expires takes a time such as 2030-01-31T00:00:00Z");
  return { ...input, expiresAt: new Date(at).toISOString() };
}

function restrictions({ agents, addresses }: Values): KeyRestrictions {
  return {
    ...agents !== undefined && { agents: listOf(agents) },
    ...addresses !== undefined && { addresses: listOf(addresses) },
  };
}

/** What `restrict` changes. */
function changes({ agents, addresses }: Values) {
  const change = (text: string) => text === "any" ? "any" as const : listOf(text);
  return {
    ...agents !== undefined && { agents: change(agents) },
    ...addresses !== undefined && { addresses: change(addresses) },
  };
}

function listOf(text: string): string[] {
  return text.split(",").map((one) => one.trim());
}

function parseScopes(text: string): Scope[] {
  return text.split(",").map((word) => {
    const scope = SCOPE_NAMES.find((name) => name === word.trim());
    if (scope !== undefined) return scope;
    throw new UsageError(`unknown scope "${word.trim()}": use ${SCOPE_NAMES.join(", ")}`);
  });
}

/** Accepts the prefix or the whole key, for pasting a leaked key. */
function parsePrefix(word: string | undefined, action: string): string {
  if (word === undefined) throw new UsageError(`missing key: ${action} PREFIX`);
  const [, prefix] = PREFIX.exec(word) ?? [];
  if (prefix === undefined) throw new UsageError("PREFIX is the 8 characters after ck_live_");
  return prefix;
}

type Option = Exclude<keyof typeof OPTIONS, "tenant">;

/** The actions with options besides --tenant, and these options. */
const OPTIONS_OF: Record<string, readonly Option[]> = {
  create: ["name", "scopes", "expires", "purpose", "agents", "addresses"],
  restrict: ["agents", "addresses"],
};

function rejectOptions(values: Values, allowed: readonly Option[]): void {
  for (const option of OPTIONS_OF.create!) {
    if (values[option] === undefined || allowed.includes(option)) continue;
    const actions = Object.keys(OPTIONS_OF).filter((name) => OPTIONS_OF[name]!.includes(option));
    throw new UsageError(`--${option} is only valid with ${actions.join(" and ")}`);
  }
}
