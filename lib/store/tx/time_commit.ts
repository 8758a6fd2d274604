import { monotonicNow, type Runtime } from "../../platform/runtime.ts";

/** A commit that the store has answered, or failed to answer. */
export interface FinishedCommit {
  /** `conflict`: another process has changed what it relied on, and it is decided again. */
  outcome: "committed" | "conflict" | "failed";
  operations: number;
  /** From the request to the answer. */
  ms: number;
}

/** Sends a commit and reports how long it takes. */
export async function timeCommit(
  atomic: Deno.AtomicOperation,
  { operations, runtime, onCommit }: {
    operations: number;
    runtime: Pick<Runtime, "now">;
    onCommit: ((commit: FinishedCommit) => void) | undefined;
  },
): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
  if (onCommit === undefined) return await atomic.commit();
  const startedAt = monotonicNow(runtime);
  let outcome: FinishedCommit["outcome"] = "failed";
  try {
    const committed = await atomic.commit();
    outcome = committed.ok ? "committed" : "conflict";
    return committed;
  } finally {
    onCommit({ outcome, operations, ms: monotonicNow(runtime) - startedAt });
  }
}
