/**
 * `deno task secrets`: sets, lists and deletes the secrets that tools send, and encrypts the store under
 * a new key, whether or not the service is running. A value is read from standard input, because an
 * argument would appear in the shell's history and in every user's process list.
 */
import {
  CommandError,
  type CommandInput,
  type CommandOutputs,
  type Commands,
} from "../lib/server/commands/commands.ts";
import type { ToolSecretInfo } from "../lib/schemas/tool_secret.ts";
import { formatMinute, formatTable } from "./table.ts";
import { runCommandLine } from "./run_command_line.ts";
import { parseSecretsArgs, SECRETS_HELP, type SecretsArgs } from "./secrets_args.ts";
import { UsageError } from "./arguments.ts";

type Report = CommandOutputs["secrets.reencrypt"];

function formatReencryption({ changed, retired }: Report): string {
  const kinds = Object.entries(changed);
  const counts = kinds.map(([kind, n]) => `  ${kind}: ${n}`);
  const lines = kinds.length === 0
    ? ["Everything is already encrypted under the first key of ENCRYPTION_KEY."]
    : ["Encrypted under the first key of ENCRYPTION_KEY, in values:", ...counts];
  if (retired.length > 0) {
    lines.push(`The key ${retired.join(", ")} is no longer in use and may be removed.`);
  }
  if (kinds.length > 0) {
    lines.push(
      "Replaced values remain in unused parts of the store's file. To erase them, stop the service " +
        "and run deno task compact.",
    );
  }
  return lines.join("\n");
}

/** What could not be encrypted, or `undefined` if everything was. */
function reencryptionFailure(
  { unreadable, pending }: Report,
  { forget = false }: CommandInput<"secrets.reencrypt">,
): string | undefined {
  const kinds = Object.entries(unreadable).map(([kind, n]) => `${kind}: ${n}`);
  if (kinds.length > 0 && !forget) {
    return `some values cannot be decrypted and were left unchanged (${kinds.join(", ")}). ` +
      "Add their key to ENCRYPTION_KEY and run this again, or give them up with " +
      "--forget";
  }
  if (pending === 0) return undefined;
  return `${pending} values belong to active runs: run this again in two minutes`;
}

function formatSecrets(secrets: readonly ToolSecretInfo[]): string {
  if (secrets.length === 0) return "No secrets yet.";
  const rows = secrets.map(({ name, updatedAt, domains, agentId }) => [
    name,
    formatMinute(updatedAt),
    domains.join(","),
    agentId ?? "any",
  ]);
  return formatTable([["NAME", "SET", "DOMAINS", "AGENT"], ...rows]);
}

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

/** Standard input without the final line feed that `echo` and editors add. */
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
