/** `deno task doctor`: measures the store that the configuration names, and says what is wrong with it. */
import { type Config, readConfig } from "../lib/server/config/config.ts";
import { measureClockSkewMs, measureStore } from "../lib/server/diagnostics/measure_store.ts";
import { openStore, type Store } from "../lib/server/process/open_store.ts";
import { StoreInUseError } from "../lib/server/process/process_lock.ts";
import {
  formatFindings,
  storeAdvice,
  type StoreFindings,
} from "../lib/server/diagnostics/store_advice.ts";
import { systemRuntime as runtime } from "../lib/platform/runtime.ts";

const HELP =
  `Checks the store: whether it opens, whether this process has its secrets, and how fast it is.

  deno task doctor

It writes a few values under keys of its own and deletes them. A store on a KV server may be in use
meanwhile; for one in a file, stop the service first.
Exit codes: 0 all is well, 1 something is wrong (it says what to do), 2 wrong usage.`;

/** Longer than it takes to open a server that does not answer. */
const TIMEOUT_MS = 60_000;

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(words: readonly string[]): Promise<number> {
  const [word] = words;
  if (word !== undefined) {
    const isHelp = ["help", "--help", "-h"].includes(word);
    if (isHelp) console.log(HELP);
    else console.error(`doctor: unknown argument "${word}"\nTry: deno task doctor --help`);
    return isHelp ? 0 : 2;
  }
  try {
    return report(await withTimeout(collectFindings()));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof StoreInUseError ? ". Stop the service first" : "";
    console.error(`doctor: ${why}${hint}`);
    return 1;
  }
}

function report(findings: StoreFindings): number {
  console.log(formatFindings(findings));
  const advice = storeAdvice(findings);
  if (advice.length === 0) console.log("\nAll is well.");
  else console.log(`\nTo do:\n${advice.map((line) => `- ${line}`).join("\n")}`);
  return advice.length === 0 ? 0 : 1;
}

async function collectFindings(): Promise<StoreFindings> {
  const config = readConfig(Deno.env.toObject());
  const store = await openStore(config, { openKv: Deno.openKv, runtime });
  try {
    const measured = await measureStore(store.kv, { runtime });
    const url = config.kvUrl;
    // A proxy may refuse the address itself, or say nothing of the time.
    const clock = url && await measureClockSkewMs(url, { fetch, runtime }).catch(() => undefined);
    return { ...measured, kind: storeKind(config, store), url, clockSkewMs: clock || undefined };
  } finally {
    await store.close();
  }
}

function storeKind({ kvUrl, onDenoDeploy }: Config, { file }: Store): StoreFindings["kind"] {
  if (kvUrl !== undefined) return "server";
  if (onDenoDeploy) return "deploy";
  return file === undefined ? "memory" : "file";
}

/** A store that stops answering half way must not leave the command waiting. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const closing = new AbortController();
  const late = runtime.sleep(TIMEOUT_MS, closing.signal).then(() => {
    throw new Error("the store has stopped answering");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => {});
    closing.abort();
  }
}
