import type { ResourceKind } from "../../lib/schemas/configuration.ts";
import type { AgentsArgs } from "../agents_args.ts";
import { pathFromCaller, UsageError } from "../arguments.ts";
import { type ServiceClient, ServiceError } from "../service_client.ts";
import { checkFolder } from "./check_folder.ts";
import { describePlan } from "./describe_plan.ts";
import { type Folder, loadFolder } from "./folder.ts";
import { makePlan, type Plan } from "./plan.ts";
import { readRemote, type Remote } from "./remote.ts";
import { messageOf } from "../../lib/platform/message_of.ts";

export const INTERRUPTED = 130;
const RETRY_MS = 2_000;
const CHANGED = "the service has changed since the plan was shown";

type ApplyArgs = Extract<AgentsArgs, { action: "apply" }>;

/** What a command needs of its surroundings. */
export interface Terminal {
  /** For results. */
  print(text: string): void;
  /** For progress. */
  note(text: string): void;
  /** `undefined` without a terminal. */
  confirm: ((question: string) => boolean | Promise<boolean>) | undefined;
  /** Runs a task, whose signal is aborted when somebody interrupts the command. */
  interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
}

/** Reads the service, checks the folder with it, and plans. Throws `FolderError` and `ServiceError`. */
export async function planFolder(
  folder: Folder,
  { client, prune }: { client: ServiceClient; prune: boolean },
): Promise<{ plan: Plan; remote: Remote }> {
  const remote = await readRemote(client);
  await checkFolder(folder, { client, remote, prune });
  return { plan: await makePlan(folder, remote, { client, prune }), remote };
}

/**
 * Changes the service to what a folder says. Returns the exit code. What is planned is planned again behind
 * the lock, so that changes since then are not overwritten. A plan that was confirmed is not replaced by another one; with `--yes`, the newer plan is shown and applied.
 */
export async function applyFolder(
  args: ApplyArgs,
  { client, terminal }: { client: ServiceClient; terminal: Terminal },
): Promise<number> {
  const { prune, dryRun, yes } = args;
  const folder = await loadFolder(pathFromCaller(args.folder));
  const { plan } = await planFolder(folder, { client, prune });
  const shown = describePlan(plan);
  terminal.print(shown);
  for (const warning of plan.warnings) terminal.note(`warning: ${warning}`);
  if (plan.steps.length === 0 || dryRun) return 0;
  if (!yes) {
    if (terminal.confirm === undefined) {
      throw new UsageError("there is no terminal to ask on: give --yes, or --dry-run");
    }
    if (!await terminal.confirm("Apply this plan?")) {
      terminal.note("agents: nothing was changed");
      return 1;
    }
  }
  return await terminal.interruptible((signal) =>
    applyBehindLock({ folder, shown }, { args, client, terminal, signal })
  );
}

interface ApplyContext {
  args: ApplyArgs;
  client: ServiceClient;
  terminal: Terminal;
  signal: AbortSignal;
}

async function applyBehindLock(
  { folder, shown }: { folder: Folder; shown: string },
  context: ApplyContext,
): Promise<number> {
  const { client, terminal, args: { prune, yes } } = context;
  const lock = crypto.randomUUID();
  await takeLock(lock, context);
  try {
    const again = await planFolder(folder, { client, prune });
    const planned = describePlan(again.plan);
    if (planned !== shown) {
      if (!yes) {
        terminal.note(`agents: ${CHANGED}; nothing was changed. Look at it again`);
        return 1;
      }
      terminal.note(`agents: ${CHANGED}; this is the new one`);
      terminal.print(planned);
    }
    return await runSteps(again, { ...context, lock });
  } finally {
    const headers = { "configuration-lock": lock };
    // Without it the lock expires by itself.
    await client.request("DELETE", "/configuration/lock", { headers }).catch(() => {});
  }
}

async function takeLock(
  id: string,
  { args, client, terminal, signal }: ApplyContext,
): Promise<void> {
  const body = { id, note: "deno task agents apply", takeOver: args.takeOver };
  for (let waited = 0;; waited += RETRY_MS) {
    try {
      await client.json("PUT", "/configuration/lock", body);
      return;
    } catch (error) {
      const isHeld = error instanceof ServiceError && error.code === "configuration_locked";
      if (!isHeld) throw error;
      if (waited >= args.wait * 1_000 || signal.aborted) throw heldError(error);
      if (waited === 0) terminal.note(`${heldError(error).message}; waiting`);
      await terminal.sleep(RETRY_MS);
    }
  }
}

function heldError({ details }: ServiceError): Error {
  const { createdAt = "", expiresAt = "" } = details as { createdAt?: string; expiresAt?: string };
  return new Error(
    `another apply has the lock since ${createdAt}; if it has died, its lock ends at ${expiresAt}. ` +
      "Nothing was changed. Use --wait or --take-over",
  );
}

async function runSteps(
  { plan, remote }: { plan: Plan; remote: Remote },
  { client, lock, terminal, signal }: ApplyContext & { lock: string },
): Promise<number> {
  const ids = new Map<string, string>();
  const applier = {
    ...{ client, headers: { "configuration-lock": lock } },
    idOf(kind: ResourceKind, key: string): string {
      const id = ids.get(`${kind}/${key}`) ?? remote.idOf(kind, key);
      if (id === undefined) throw new Error(`${kind}/${key} does not exist`);
      return id;
    },
    created: (kind: ResourceKind, key: string, id: string) => void ids.set(`${kind}/${key}`, id),
  };
  const total = plan.steps.length;
  for (const [n, step] of plan.steps.entries()) {
    if (signal.aborted) {
      terminal.note(`agents: interrupted after ${n} of ${total} changes; apply again to continue`);
      return INTERRUPTED;
    }
    try {
      await step.run(applier);
    } catch (error) {
      const why = messageOf(error);
      const issues = error instanceof ServiceError ? error.issues : [];
      for (const { path, message } of issues) terminal.note(`${step.what} ${path}: ${message}`);
      throw new Error(
        `${step.what}: ${why}. ${n} of ${total} changes were made; apply again to continue`,
      );
    }
    terminal.note(`${n + 1} of ${total} ${step.what}`);
  }
  terminal.print(`Applied ${total} ${total === 1 ? "change" : "changes"}.`);
  return 0;
}
