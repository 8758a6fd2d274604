/** `deno task agents`: agents, knowledge bases and test sets of a service as files. */
import { applyFolder, INTERRUPTED, planFolder, type Terminal } from "./agents/apply_folder.ts";
import { describeIssue, describePlan } from "./agents/describe_plan.ts";
import { exportFolder } from "./agents/export_folder.ts";
import { FolderError, loadFolder } from "./agents/folder.ts";
import { AGENTS_HELP, type AgentsArgs, parseAgentsArgs } from "./agents_args.ts";
import { pathFromCaller, UsageError } from "./arguments.ts";
import { ServiceClient } from "./service_client.ts";
import { messageOf } from "../lib/platform/message_of.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));

/** Returns the exit code. */
async function main(words: string[]): Promise<number> {
  let isDiff = false;
  try {
    const args = parseAgentsArgs(words, (name) => Deno.env.get(name));
    if (args.action === "help") {
      console.log(AGENTS_HELP);
      return 0;
    }
    isDiff = args.action === "diff";
    return await run(args);
  } catch (error) {
    if (error instanceof FolderError) {
      for (const issue of error.issues) console.error(describeIssue(issue));
    }
    console.error(`agents: ${messageOf(error)}`);
    if (error instanceof UsageError) console.error("Try: deno task agents --help");
    return error instanceof UsageError || isDiff ? 2 : 1;
  }
}

async function run(args: AgentsArgs): Promise<number> {
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const client = new ServiceClient(args, {
    async onRateLimit(seconds) {
      console.error(`the service's rate limit is reached; waiting ${seconds} seconds`);
      await sleep(seconds * 1_000);
    },
  });
  switch (args.action) {
    case "export": {
      const { files, unkeyed } = await exportFolder(args, client);
      console.log(`Wrote ${files} ${files === 1 ? "file" : "files"} to ${args.folder}.`);
      if (unkeyed > 0) console.log(describeUnkeyed(unkeyed));
      return 0;
    }
    case "diff": {
      const folder = await loadFolder(pathFromCaller(args.folder));
      const { plan } = await planFolder(folder, { client, prune: args.prune });
      console.log(describePlan(plan));
      for (const warning of plan.warnings) console.error(`warning: ${warning}`);
      return plan.steps.length === 0 ? 0 : 1;
    }
    case "apply":
      return await applyFolder(args, { client, terminal: { ...terminal(), sleep } });
  }
}

function describeUnkeyed(count: number): string {
  return count === 1
    ? "One of them describes a resource without a key; apply gives it the key of its file."
    : `${count} of them describe resources without keys; apply gives them the keys of their files.`;
}

function terminal(): Omit<Terminal, "sleep"> {
  return {
    print: (text) => console.log(text),
    note: (text) => console.error(text),
    confirm: Deno.stdin.isTerminal() ? (question) => confirm(question) : undefined,
    interruptible,
  };
}

/** Interrupting ends an apply between two changes, and releases its lock; doing it twice ends it at once. */
async function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => {
    if (interrupted.signal.aborted) Deno.exit(INTERRUPTED);
    interrupted.abort();
  };
  const signals: Deno.Signal[] = ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, interrupt);
  try {
    return await task(interrupted.signal);
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, interrupt);
  }
}
