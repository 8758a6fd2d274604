import { parseOptions, rejectExtra, UsageError } from "./arguments.ts";

export interface VerifyArgs {
  /** The sealed export. */
  file: string;
  /** The id of the key that the caller trusts. */
  key: string | undefined;
  /** A file with an agent's version. */
  agent: string | undefined;
  allowUnproven: boolean;
}

export const VERIFY_HELP =
  `Checks a sealed export of a conversation, without a service and without a network: what was asked and
answered, in which frames, by which version of the agent, and at what price.

  deno task verify FILE --key ID [--agent FILE] [--allow-unproven]

  FILE              from the conversation's page, or GET /v1/conversations/:id/export
  --key             the id of the key that you trust: the last "kid" of your service's
                    GET /v1/seal-keys, or from its page Settings. Write it down before you need it
  --agent           a version as GET /v1/agents/:id/versions/:n returns it: checks that the runs of
                    this version were answered by exactly that
  --allow-unproven  accepts runs that were never sealed, such as those of earlier releases

Exit codes: 0 proven, 1 rejected, 2 wrong usage.`;

/** Parses the arguments of `deno task verify`. Throws `UsageError`. */
export function parseVerifyArgs(words: string[]): VerifyArgs | "help" {
  const { values, positionals } = parseOptions(joinKey(words), {
    key: { type: "string" },
    agent: { type: "string" },
    "allow-unproven": { type: "boolean" },
  });
  const [file, ...rest] = positionals;
  if (values.help || file === "help") return "help";
  if (file === undefined) throw new UsageError("name the file to check");
  rejectExtra(rest);
  if (values.key !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(values.key)) {
    throw new UsageError("--key takes an id of 43 characters, from GET /v1/seal-keys");
  }
  const { key, agent, "allow-unproven": allowUnproven = false } = values;
  return { file, key, agent, allowUnproven };
}

/** A key's id may begin with a dash, which would pass for an option. */
function joinKey(words: readonly string[]): string[] {
  const at = words.indexOf("--key");
  if (at < 0 || at + 1 === words.length) return [...words];
  return words.toSpliced(at, 2, `--key=${words[at + 1]}`);
}
