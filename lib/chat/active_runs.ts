import { keys } from "../store/keys/keys.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { parseRecord } from "../store/values/record.ts";

/** An active run, with what names its conversation. */
export interface RunInConversation {
  runId: string;
  agentId: string;
  conversationId: string;
  origin?: string;
  /** The visitor's hash. */
  visitor?: string;
  /** The id of the API key, session or user. */
  startedBy: string;
}

/** The active runs of a tenant, in all processes. */
export async function* activeRuns(kv: Deno.Kv, tenant: string): AsyncGenerator<ActiveRun> {
  for await (const entry of kv.list({ prefix: keys.tenantActiveRuns(tenant) })) {
    const active = parseRecord(activeRunSchema, entry);
    if (active !== undefined) yield active;
  }
}

/** Those that are wanted, oldest first. */
export async function listRuns(
  kv: Deno.Kv,
  tenant: string,
  isWanted: (run: RunFacts) => boolean,
): Promise<RunInConversation[]> {
  return (await Array.fromAsync(activeRuns(kv, tenant)))
    .filter(({ run }) => isWanted(run))
    .sort((a, b) => a.run.startedAt - b.run.startedAt)
    .map(({ run: { runId, agentId, conversationId, visitor, source }, log }) => ({
      ...{ runId, agentId, conversationId, startedBy: source.id },
      ...log?.origin !== undefined && { origin: log.origin },
      ...visitor !== undefined && { visitor },
    }));
}
