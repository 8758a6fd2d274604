import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { CheckAndSet } from "../baseline/check_and_set.ts";

/** Decides and commits operations: the group committer, or the baseline. */
export type Engine = Pick<GroupCommitter, keyof CheckAndSet>;

export const ENGINES = {
  ours: (kv: Deno.Kv): Engine => new GroupCommitter(kv, { runtime: systemRuntime }),
  baseline: (kv: Deno.Kv, signal: AbortSignal): Engine =>
    new CheckAndSet(kv, { signal }) as unknown as Engine,
  /** The baseline with a short random pause after each lost race. */
  pausingBaseline: (kv: Deno.Kv, signal: AbortSignal): Engine =>
    new CheckAndSet(kv, { signal, pauseMs: 50 }) as unknown as Engine,
};
export type EngineName = keyof typeof ENGINES;
