import type { RunLog } from "./run_log.ts";

/** What following a run takes, wherever it runs. */
export interface FollowableRun {
  readonly id: string;
  readonly log: RunLog;
  /** Told which number the `done` of an interruption will have for a follower. */
  recordEnd?(n: number): Promise<void>;
  /** Told who comes and goes; `settle` when nobody needs to be waited for any more. */
  readonly watchers: { enter(): void; leave(): void; settle(): void };
}
