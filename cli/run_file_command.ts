import { UsageError } from "./arguments.ts";
import { messageOf } from "../lib/platform/message_of.ts";

/** Runs a command that works on files. Returns its exit code: 1 for a failure, 2 for wrong usage. */
export async function runFileCommand<Args>(
  words: string[],
  { name, help, parse, run }: {
    /** As in `deno task name`. */
    name: string;
    help: string;
    /** Throws `UsageError`. */
    parse(words: string[]): Args | "help";
    run(args: Args): Promise<void>;
  },
): Promise<number> {
  try {
    const args = parse(words);
    if (args === "help") console.log(help);
    else await run(args);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const isInUse = error instanceof Error && error.name === "StoreInUseError";
    const why = messageOf(error);
    console.error(`${name}: ${why}${isInUse ? ". Stop the service first" : ""}`);
    if (isUsage) console.error(`Try: deno task ${name} --help`);
    return isUsage ? 2 : 1;
  }
}
