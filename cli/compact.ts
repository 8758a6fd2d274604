/**
 * `deno task compact`: rewrites the file of a stopped service's store, so that nothing deleted or replaced
 * is left in it. A task of its own, because SQLite may do so only with all of Deno's permissions.
 */
import { readConfig } from "../lib/server/config/config.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { StoreInUseError } from "../lib/server/process/process_lock.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";

const HELP = `Rewrites the store's file without what was deleted or replaced.

  deno task compact

Stop the service first. It takes as much free disk as the file. Values of earlier releases are then
stored as this one does, so that every version of Deno from 2.5 on reads them.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(words: readonly string[]): Promise<number> {
  const [word] = words;
  if (word !== undefined) {
    const isHelp = ["help", "--help", "-h"].includes(word);
    if (isHelp) console.log(HELP);
    else console.error(`compact: unknown argument "${word}"\nTry: deno task compact --help`);
    return isHelp ? 0 : 2;
  }
  try {
    await compact();
    console.log("The store's file is rewritten: nothing deleted or replaced is left in it.");
    return 0;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof StoreInUseError ? ". Stop the service first" : "";
    console.error(`compact: ${why}${hint}`);
    return 1;
  }
}

async function compact(): Promise<void> {
  const config = readConfig(Deno.env.toObject());
  const options = { openKv: Deno.openKv, runtime: systemRuntime, allowMissingKeys: true };
  const store = await openStore(config, options);
  try {
    if (store.compact === undefined) throw new Error("the store is not a local file");
    await store.compact();
  } finally {
    await store.close();
  }
}
