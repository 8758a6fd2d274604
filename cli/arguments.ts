import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { messageOf } from "../lib/platform/message_of.ts";

/** A command line that cannot be parsed. The message says what is expected. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Splits the words of a command line into options and positionals. Throws `UsageError`. */
export function parseOptions<O extends ParseArgsOptionsConfig>(words: string[], options: O) {
  try {
    return parseArgs(
      {
        args: words,
        allowPositionals: true,
        options: { ...options, help: { type: "boolean", short: "h" } },
      } as const,
    );
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "invalid options");
  }
}

export function rejectExtra(words: readonly (string | undefined)[]): void {
  if (words[0] !== undefined) throw new UsageError(`unexpected argument "${words[0]}"`);
}

/** The error for a missing or unknown action. */
export function unknownAction(action: string | undefined, expected: string): UsageError {
  return new UsageError(
    action === undefined
      ? `name an action: ${expected}`
      : `unknown action "${action}": ${expected}`,
  );
}

/** Runs a command without arguments. Returns its exit code: 1 for a failure, 2 for wrong usage. */
export async function runWithoutArguments(
  words: readonly string[],
  { name, help, run }: { name: string; help: string; run(): Promise<number> },
): Promise<number> {
  const [word] = words;
  if (word !== undefined) {
    const isHelp = ["help", "--help", "-h"].includes(word);
    if (isHelp) console.log(help);
    else console.error(`${name}: unknown argument "${word}"\nTry: deno task ${name} --help`);
    return isHelp ? 0 : 2;
  }
  try {
    return await run();
  } catch (error) {
    const why = messageOf(error);
    const isInUse = error instanceof Error && error.name === "StoreInUseError";
    console.error(`${name}: ${why}${isInUse ? ". Stop the service first" : ""}`);
    return 1;
  }
}

/** A path relative to where the task was called, which is not always the service's folder. */
export function pathFromCaller(file: string): string {
  const from = Deno.env.get("INIT_CWD");
  return from === undefined || file.startsWith("/") ? file : `${from}/${file}`;
}
