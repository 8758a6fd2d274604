/**
 * `deno task keys`: creates, lists and revokes API keys, whether or not the service is running. A new
 * key is written to standard output, messages to standard error.
 */
import type { ApiKey } from "../lib/store/credentials/api_key_store.ts";
import { formatMinute, formatTable } from "./table.ts";
import type { Commands } from "../lib/server/commands/commands.ts";
import { KEYS_HELP, type KeysArgs, parseKeysArgs } from "./keys_args.ts";
import { runCommandLine } from "./run_command_line.ts";

const COLUMNS = [
  "PREFIX",
  "NAME",
  "PURPOSE",
  "STATE",
  "CREATED",
  "BY",
  "LAST USED",
  "EXPIRES",
  "SCOPES",
  "LIMITED TO",
];

function formatKeys(apiKeys: readonly ApiKey[]): string {
  if (apiKeys.length === 0) return "No API keys yet.";
  return formatTable([COLUMNS, ...apiKeys.map(toRow)]);
}

function toRow(apiKey: ApiKey): string[] {
  return [
    apiKey.secrets.map((secret) => secret.prefix).join(","),
    // Control characters in a name must not reach the terminal.
    apiKey.name.replace(/\p{Cc}/gu, " "),
    (apiKey.purpose ?? "").replace(/\p{Cc}/gu, " "),
    apiKey.state,
    formatMinute(apiKey.createdAt),
    (apiKey.createdBy?.kind ?? "").replace("_", " "),
    formatMinute(apiKey.lastUsedAt),
    formatMinute(apiKey.expiresAt),
    apiKey.scopes.join(","),
    [...apiKey.agents ?? [], ...apiKey.addresses ?? []].join(","),
  ];
}

function describeRestrictions({ agents = [], addresses = [] }: ApiKey): string {
  const all = [
    ...agents.length > 0 ? [`agents ${agents.join(", ")}`] : [],
    ...addresses.length > 0 ? [`addresses in ${addresses.join(", ")}`] : [],
  ];
  return all.length === 0 ? "not restricted" : `restricted to ${all.join(" and ")}`;
}

if (import.meta.main) {
  const allowMissingSecrets = ({ action }: KeysArgs) => action === "forget-secrets";
  const line = { name: "keys", help: KEYS_HELP, parse: parseKeysArgs, run };
  Deno.exit(await runCommandLine(Deno.args, { ...line, allowMissingSecrets }));
}

async function run(args: KeysArgs, commands: Commands): Promise<void> {
  if (args.action === "create") {
    const { apiKey, secret } = await commands["keys.create"](args.input);
    console.log(secret);
    console.error(`Key "${apiKey.name}" with ${apiKey.scopes.join(", ")}. It is not shown again.`);
  } else if (args.action === "list") {
    console.log(formatKeys((await commands["keys.list"](args.input)).apiKeys));
  } else if (args.action === "forget-secrets") {
    const { signing } = await commands["keys.forget_secrets"](args.input);
    console.error(`The store now uses the secrets of this process (first id ${signing}).`);
  } else if (args.action === "restrict") {
    const { apiKey } = await commands["keys.restrict"](args.input);
    console.error(`Key "${apiKey.name}" is ${describeRestrictions(apiKey)}.`);
  } else {
    const { apiKey } = await commands["keys.revoke"](args.input);
    console.error(`Key "${apiKey.name}" is revoked.`);
  }
}
