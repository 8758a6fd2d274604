/** `deno task doctor`: measures the configured store and reports problems. */
import { type Config, readConfig } from "../lib/server/config/config.ts";
import { measureClockSkewMs, measureStore } from "../lib/server/diagnostics/measure_store.ts";
import { openStore, type Store } from "../lib/server/process/open_store.ts";
import {
  formatFindings,
  storeAdvice,
  type StoreFindings,
} from "../lib/server/diagnostics/store_advice.ts";
import { openMailer } from "../lib/server/composition/open_mailer.ts";
import { systemRuntime as runtime } from "../lib/platform/runtime.ts";
import { runWithoutArguments } from "./arguments.ts";

const HELP =
  `Checks the store: whether it opens, whether this process has its secrets, and how fast it is. With
SMTP_URL, it also connects to the mail server and signs in, without sending anything.

  deno task doctor

It writes a few test values and deletes them. A store on a KV server may be in use; for a store in a
file, stop the service first.
Exit codes: 0 no problems, 1 problems (with advice), 2 wrong usage.`;

/** Longer than the timeout for opening a KV server. */
const TIMEOUT_MS = 60_000;

if (import.meta.main) {
  const run = async () => {
    const config = readConfig(Deno.env.toObject());
    return report(await withTimeout(collectFindings(config)), await checkMail(config));
  };
  Deno.exit(await runWithoutArguments(Deno.args, { name: "doctor", help: HELP, run }));
}

interface MailFindings {
  /** Why it does not work, if so. */
  failure: string | undefined;
}

/** `undefined` if mail is not configured. */
async function checkMail(config: Config): Promise<MailFindings | undefined> {
  const log = { info: () => {}, warn: () => {} };
  const mailer = openMailer(config, { runtime, log });
  return mailer && { failure: await mailer.check() };
}

function report(findings: StoreFindings, mail: MailFindings | undefined): number {
  console.log(formatFindings(findings));
  const advice = storeAdvice(findings);
  if (mail !== undefined) {
    console.log(`Mail     ${mail.failure === undefined ? "the server accepts mail" : "fails"}`);
  }
  if (mail?.failure !== undefined) {
    advice.push(
      `The mail server cannot be used (${mail.failure}): check SMTP_URL. Elsewhere than on this ` +
        "machine it needs TLS with a valid certificate.",
    );
  }
  if (advice.length === 0) console.log("\nAll is well.");
  else console.log(`\nTo do:\n${advice.map((line) => `- ${line}`).join("\n")}`);
  return advice.length === 0 ? 0 : 1;
}

async function collectFindings(config: Config): Promise<StoreFindings> {
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
