/**
 * `deno task keys`: creates, lists and revokes API keys, whether or not the service is running. A new
 * key is written to standard output, messages to standard error.
 */
import type { ApiKey } from "../lib/store/credentials/api_key_store.ts";
import { formatMinute, formatTable } from "./table.ts";
import type { Commands } from "../lib/server/commands/commands.ts";
import { KEYS_HELP, type KeysArgs, parseKeysArgs } from "./keys_args.ts";
import { runCommandLine } from "./run_command_line.ts";

const COLUMNS = ["PREFIX", "NAME", "STATE", "CREATED", "LAST USED", "EXPIRES", "SCOPES"];

function formatKeys(apiKeys: readonly ApiKey[]): string {
  if (apiKeys.length === 0) return "No API keys yet.";
  return formatTable([COLUMNS, ...apiKeys.map(toRow)]);
}

function toRow(apiKey: ApiKey): string[] {
  return [
    apiKey.secrets.map((secret) => secret.prefix).join(","),
    // Control characters in a name must not reach the terminal.
    apiKey.name.replace(/\p{Cc}/gu, " "),
    apiKey.state,
    formatMinute(apiKey.createdAt),
    formatMinute(apiKey.lastUsedAt),
    formatMinute(apiKey.expiresAt),
    apiKey.scopes.join(","),
  ];
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
  } else {
    const { apiKey } = await commands["keys.revoke"](args.input);
    console.error(`Key "${apiKey.name}" is revoked.`);
  }
}
