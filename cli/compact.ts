/**
 * `deno task compact`: rewrites the file of a stopped service's store, so that nothing deleted or replaced
 * remains in it. A task of its own, because SQLite needs all of Deno's permissions for it.
 */
import { systemRuntime } from "../lib/platform/runtime.ts";
import { readConfig } from "../lib/server/config/config.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { runWithoutArguments } from "./arguments.ts";

const HELP = `Rewrites the store's file without deleted and replaced values.

  deno task compact

Stop the service first. It needs as much free disk space as the file. Values of earlier releases are
converted to the current format, which every version of Deno from 2.5 on reads.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

if (import.meta.main) {
  Deno.exit(await runWithoutArguments(Deno.args, { name: "compact", help: HELP, run }));
}

async function run(): Promise<number> {
  const config = readConfig(Deno.env.toObject());
  const options = { openKv: Deno.openKv, runtime: systemRuntime, allowMissingKeys: true };
  const store = await openStore(config, options);
  try {
    if (store.compact === undefined) throw new Error("the store is not a local file");
    await store.compact();
  } finally {
    await store.close();
  }
  console.log("The store's file is rewritten: nothing deleted or replaced is left in it.");
  return 0;
}
