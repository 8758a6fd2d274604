import { parseOptions, rejectExtra, UsageError } from "./arguments.ts";

export interface CopyStoreArgs {
  from: string;
  to: string;
}

export const COPY_STORE_HELP = `Copies a store into another, empty one, and compares both.

  deno task copy-store --from STORE --to STORE

A store is the path of a file, such as .data/kv.sqlite3, or the address of a KV server: that of denokv, or
https://api.deno.com/v2/databases/<id>/connect for Deno Deploy. The access tokens of servers are read from
FROM_ACCESS_TOKEN and TO_ACCESS_TOKEN.

Stop every process of the service first, on both sides. If the copy is interrupted, run the same command
again: it continues where it was. The secrets of the installation are not in the store: take them along.

Exit codes: 0 copied and equal, 1 failed, 2 wrong usage.`;

/** Parses the arguments of `deno task copy-store`. Throws `UsageError`. */
export function parseCopyStoreArgs(words: string[]): CopyStoreArgs | "help" {
  const { values, positionals } = parseOptions(words, {
    from: { type: "string" },
    to: { type: "string" },
  });
  if (values.help || positionals[0] === "help") return "help";
  rejectExtra(positionals);
  const { from, to } = values;
  if (!from || !to) throw new UsageError("name both stores: --from STORE --to STORE");
  if (from === to) throw new UsageError("--from and --to name the same store");
  return { from, to };
}

export function isServer(store: string): boolean {
  return /^https?:\/\//.test(store);
}
