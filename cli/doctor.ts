/** `deno task doctor`: measures the configured store and reports problems. */
import { type Config, readConfig } from "../lib/server/config/config.ts";
import { measureClockSkewMs, measureStore } from "../lib/server/diagnostics/measure_store.ts";
import { openStore, type Store } from "../lib/server/process/open_store.ts";
import {
  formatFindings,
  storeAdvice,
  type StoreFindings,
} from "../lib/server/diagnostics/store_advice.ts";
import { systemRuntime as runtime } from "../lib/platform/runtime.ts";
import { runWithoutArguments } from "./arguments.ts";

const HELP =
  `Checks the store: whether it opens, whether this process has its secrets, and how fast it is.

  deno task doctor

It writes a few test values and deletes them. A store on a KV server may be in use; for a store in a
file, stop the service first.
Exit codes: 0 no problems, 1 problems (with advice), 2 wrong usage.`;

/** Longer than the timeout for opening a KV server. */
const TIMEOUT_MS = 60_000;

if (import.meta.main) {
  const run = async () => report(await withTimeout(collectFindings()));
  Deno.exit(await runWithoutArguments(Deno.args, { name: "doctor", help: HELP, run }));
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
    // A proxy may reject the URL, or send no Date.
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

/** The store may stop responding at any time. */
function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = runtime.sleep(TIMEOUT_MS).then(() => {
    throw new Error("the store has stopped responding");
  });
  return Promise.race([work, timeout]);
}
