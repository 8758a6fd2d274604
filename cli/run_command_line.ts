import { readConfig } from "../lib/server/config/config.ts";
import type { Commands } from "../lib/server/commands/commands.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { connectCommands } from "./connect_commands.ts";
import { UsageError } from "./arguments.ts";
import { messageOf } from "../lib/platform/message_of.ts";

/** A task of `deno.json` that runs commands. */
export interface CommandLine<Args extends { action: string }> {
  /** As in `deno task name`. */
  name: string;
  help: string;
  /** Throws `UsageError`. */
  parse(words: string[]): Args | { action: "help" };
  run(args: Args, commands: Commands): Promise<void>;
  /** Whether the store may use encryption keys that this process does not have. */
  allowMissingKeys?(args: Args): boolean;
  /** The same for HMAC secrets. */
  allowMissingSecrets?(args: Args): boolean;
}

/** Runs one command. Returns its exit code: 1 for a failure, 2 for wrong usage. */
export async function runCommandLine<Args extends { action: string }>(
  words: string[],
  { name, help, parse, run, allowMissingKeys, allowMissingSecrets }: CommandLine<Args>,
): Promise<number> {
  try {
    const args = parse(words);
    if (isHelp(args)) {
      console.log(help);
      return 0;
    }
    const config = readConfig(Deno.env.toObject());
    using connection = await connectCommands(config, {
      openKv: Deno.openKv,
      runtime: systemRuntime,
      allowMissingKeys: allowMissingKeys?.(args) ?? false,
      allowMissingSecrets: allowMissingSecrets?.(args) ?? false,
    });
    await run(args, connection.commands);
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError;
    console.error(`${name}: ${messageOf(error)}`);
    if (usage) console.error(`Try: deno task ${name} --help`);
    return usage ? 2 : 1;
  }
}

function isHelp(args: { action: string }): args is { action: "help" } {
  return args.action === "help";
}
