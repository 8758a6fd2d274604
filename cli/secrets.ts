/**
 * `deno task secrets`: sets, lists and deletes the secrets that tools send, and encrypts the store under
 * a new key, whether or not the service is running. A value is read from standard input, because an
 * argument would appear in the shell's history and in every user's process list.
 */
import { CommandError, type Commands } from "../lib/process/commands.ts";
import { formatReencryption, reencryptionFailure } from "./format_reencryption.ts";
import { formatSecrets } from "./format_secrets.ts";
import { runCommandLine } from "./run_command_line.ts";
import { parseSecretsArgs, SECRETS_HELP, type SecretsArgs } from "./secrets_args.ts";
import { UsageError } from "./usage_error.ts";

if (import.meta.main) {
  const allowMissingKeys = (args: SecretsArgs) =>
    args.action === "reencrypt" && args.input.forget === true;
  const line = { name: "secrets", help: SECRETS_HELP, parse: parseSecretsArgs, run };
  Deno.exit(await runCommandLine(Deno.args, { ...line, allowMissingKeys }));
}

async function run(args: SecretsArgs, commands: Commands): Promise<void> {
  if (args.action === "set") {
    const value = await readValue();
    const { secret } = await commands["secrets.set"]({ ...args.input, value });
    const agent = secret.agentId === undefined ? "" : `, for agent ${secret.agentId} alone`;
    console.error(`Secret ${secret.name} is set for ${secret.domains.join(", ")}${agent}.`);
  } else if (args.action === "list") {
    console.log(formatSecrets((await commands["secrets.list"](args.input)).secrets));
  } else if (args.action === "reencrypt") {
    const report = await commands["secrets.reencrypt"](args.input);
    console.log(formatReencryption(report));
    const failure = reencryptionFailure(report, args.input);
    if (failure !== undefined) throw new CommandError(failure);
  } else {
    const { secret } = await commands["secrets.delete"](args.input);
    console.error(`Secret ${secret.name} is deleted.`);
  }
}

/** What was piped in, without the one line feed that `echo` and editors put at the end. */
async function readValue(): Promise<string> {
  if (Deno.stdin.isTerminal()) console.error("Type the value, then Enter and Ctrl-D:");
  const bytes = await new Response(Deno.stdin.readable).bytes();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError("the value on standard input is not UTF-8 text");
  }
  const value = text.replace(/\r?\n$/, "");
  if (value === "") throw new UsageError("standard input is empty: pipe the value into it");
  return value;
}
