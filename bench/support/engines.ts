import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { CheckAndSet } from "../baseline/check_and_set.ts";

/** Decides and commits operations: ours, or what it is compared with. */
export type Engine = Pick<GroupCommitter, "run" | "transact" | "getCached">;

export const ENGINES = {
  ours: (kv: Deno.Kv): Engine => new GroupCommitter(kv, { runtime: systemRuntime }),
  baseline: (kv: Deno.Kv, signal: AbortSignal): Engine =>
    new CheckAndSet(kv, { signal }) as unknown as Engine,
  /** As the baseline, but who loses a race waits a little before the next. */
  patientBaseline: (kv: Deno.Kv, signal: AbortSignal): Engine =>
    new CheckAndSet(kv, { signal, pauseMs: 50 }) as unknown as Engine,
};
export type EngineName = keyof typeof ENGINES;
