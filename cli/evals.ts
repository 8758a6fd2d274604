/** `deno task evals`: runs the test sets of a service, and imports and exports their cases. */
import { TEST_BOUNDS } from "../lib/schemas/limits.ts";
import type { TestResult, TestRun } from "../lib/schemas/test_run.ts";
import type { TestSet } from "../lib/schemas/test_set.ts";
import { pathFromCaller, UsageError } from "./arguments.ts";
import { EVALS_HELP, type EvalsArgs, parseEvalsArgs } from "./evals_args.ts";
import { evalsReport } from "./evals_report.ts";
import { ServiceClient, ServiceError } from "./service_client.ts";
import { messageOf } from "../lib/platform/message_of.ts";

const POLL_MS = 1_000;
const MAX_ATTEMPTS = 10;
const INTERRUPTED = 130;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LINES = { "content-type": "application/x-ndjson" };

type Of<Action extends EvalsArgs["action"]> = Extract<EvalsArgs, { action: Action }>;

if (import.meta.main) Deno.exit(await main(Deno.args));

/** Returns the exit code. */
async function main(words: string[]): Promise<number> {
  try {
    const args = parseEvalsArgs(words, (name) => Deno.env.get(name));
    if (args.action === "help") {
      console.log(EVALS_HELP);
      return 0;
    }
    const client = new ServiceClient(args);
    const set = await findSet(client, args.set);
    switch (args.action) {
      case "run":
        return await runSet(client, set, args);
      case "import":
        return await importCases(client, set, args);
      case "export":
        return await exportCases(client, set, args);
    }
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(`evals: ${messageOf(error)}`);
    if (isUsage) console.error("Try: deno task evals --help");
    return 2;
  }
}

/** By its id, or by its name if only one set has that. */
async function findSet(client: ServiceClient, wanted: string): Promise<TestSet> {
  if (UUID.test(wanted)) return await client.json("GET", `/test-sets/${wanted}`);
  const sets = await client.readAll<TestSet>("/test-sets");
  const named = sets.filter(({ name }) => name === wanted);
  if (named.length === 1) return named[0]!;
  if (named.length === 0) throw new UsageError(`there is no test set "${wanted}"`);
  throw new UsageError(
    `${named.length} test sets are named "${wanted}"; use an id: ` +
      named.map(({ id }) => id).join(", "),
  );
}

async function runSet(client: ServiceClient, set: TestSet, args: Of<"run">): Promise<number> {
  const { agent, version, threshold, budgetUsd, out, json } = args;
  const started = await client.json<TestRun>("POST", `/test-sets/${set.id}/runs`, {
    version,
    ...agent !== undefined && { agentId: agent },
    ...threshold !== undefined && { threshold },
    ...budgetUsd !== undefined && { budgetUsd },
  });
  const path = `/test-sets/${set.id}/runs/${started.id}`;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const signals: Deno.Signal[] = ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, interrupt);
  try {
    const ended = await untilEnded(client, path, { started, signal: interrupted.signal });
    if (ended === undefined) {
      await client.json("POST", `${path}/stop`);
      console.error("evals: interrupted, the run is stopped");
      return INTERRUPTED;
    }
    if (out !== undefined) await writeResults(client, path, out);
    if (json) console.log(JSON.stringify(ended, null, 2));
    else {
      const results = await client.readAll<TestResult>(`${path}/results`);
      console.log(evalsReport(ended, results.filter(({ outcome }) => outcome !== "passed")));
    }
    return ended.isPassed ? 0 : ended.state === "interrupted" ? 2 : 1;
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, interrupt);
  }
}

/** Says on standard error how far the run is; `undefined` once `signal` is aborted. */
async function untilEnded(
  client: ServiceClient,
  path: string,
  { started, signal }: { started: TestRun; signal: AbortSignal },
): Promise<TestRun | undefined> {
  let run = started;
  let said = "";
  while (run.state === "running") {
    if (signal.aborted) return undefined;
    const progress = `${run.cases - run.notRun} of ${run.cases} cases run`;
    if (progress !== said) console.error(progress);
    said = progress;
    await pause(signal);
    run = await patiently(() => client.json<TestRun>("GET", path), signal);
  }
  return run;
}

/** Retries: the run continues on the service during a short outage. */
async function patiently<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ServiceError) || attempt === MAX_ATTEMPTS) throw error;
      await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, POLL_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

async function writeResults(client: ServiceClient, path: string, out: string): Promise<void> {
  const format = out.toLowerCase().endsWith(".csv") ? "csv" : "jsonl";
  const results = await client.request("GET", `${path}/results/export?format=${format}`);
  await Deno.writeTextFile(pathFromCaller(out), await results.text());
}

/** All lines of a request are added, or none; a large file takes several requests. */
async function importCases(
  client: ServiceClient,
  set: TestSet,
  { file, from }: Of<"import">,
): Promise<number> {
  const lines = (await Deno.readTextFile(pathFromCaller(file))).split("\n")
    .map((line, n) => ({ line, n: n + 1 }))
    .filter(({ line, n }) => n >= from && line.trim() !== "");
  if (lines.length === 0) throw new UsageError(`${file} has no line to import`);
  let added = 0;
  for (let at = 0; at < lines.length; at += TEST_BOUNDS.casesPerRequest) {
    const batch = lines.slice(at, at + TEST_BOUNDS.casesPerRequest);
    const body = batch.map(({ line }) => line).join("\n");
    try {
      await client.request("POST", `/test-sets/${set.id}/cases`, { body, headers: LINES });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const numbers = batch.map(({ n }) => n);
      for (const issue of error.issues) console.error(describeIssue(issue, numbers));
      const next = added > 0
        ? `${casesAdded(added)}; fix the file and continue with --from ${numbers[0]}`
        : "no case was added";
      throw new ServiceError(`${error.message}; ${next}`);
    }
    added += batch.length;
  }
  console.log(`${casesAdded(added)} to "${set.name}".`);
  return 0;
}

function casesAdded(count: number): string {
  return count === 1 ? "1 case was added" : `${count} cases were added`;
}

/** `lines.2.question` is of the second line that was sent. */
function describeIssue(
  { path, message }: { path: string; message: string },
  numbers: readonly number[],
): string {
  const [, n, field] = /^lines\.(\d+)\.?(.*)$/.exec(path) ?? [];
  if (n === undefined) return `${path} ${message}`.trim();
  const line = numbers[Number(n) - 1] ?? Number(n);
  return `line ${line}: ${[field, message].filter(Boolean).join(" ")}`;
}

async function exportCases(
  client: ServiceClient,
  set: TestSet,
  { file }: Of<"export">,
): Promise<number> {
  const lines = await (await client.request("GET", `/test-sets/${set.id}/cases/export`)).text();
  if (file === undefined) await Deno.stdout.write(new TextEncoder().encode(lines));
  else {
    await Deno.writeTextFile(pathFromCaller(file), lines);
    console.log(`${set.cases} cases of "${set.name}" are in ${file}.`);
  }
  return 0;
}
