/**
 * `deno task keys`: makes, lists and revokes API keys, beside a running service or without one.
 * A new key alone goes to standard output, words to standard error. Exit code 2 is a wrong
 * command line, 1 a failure.
 */
import { readConfig } from "../lib/config.ts";
import { realSystem } from "../lib/system.ts";
import { connectCommands } from "./connect_commands.ts";
import { formatKeys } from "./format_keys.ts";
import { KEYS_HELP, type KeysArgs, parseKeysArgs, UsageError } from "./keys_args.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(words: string[]): Promise<number> {
  try {
    const args = parseKeysArgs(words);
    if (args.action === "help") console.log(KEYS_HELP);
    else await run(args);
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError;
    console.error(`keys: ${error instanceof Error ? error.message : String(error)}`);
    if (usage) console.error("Try: deno task keys --help");
    return usage ? 2 : 1;
  }
}

async function run(args: Exclude<KeysArgs, { action: "help" }>): Promise<void> {
  const config = readConfig(Deno.env.toObject());
  using connection = await connectCommands(config, { openKv: Deno.openKv, system: realSystem });
  const { commands } = connection;
  if (args.action === "create") {
    const { apiKey, secret } = await commands["keys.create"](args.input);
    console.log(secret);
    console.error(`Key "${apiKey.name}" with ${apiKey.scopes.join(", ")}. It is not shown again.`);
  } else if (args.action === "list") {
    console.log(formatKeys((await commands["keys.list"](args.input)).apiKeys));
  } else {
    const { apiKey } = await commands["keys.revoke"](args.input);
    console.error(`Key "${apiKey.name}" is revoked.`);
  }
}
