import type { FollowableRun, LoggedFrame } from "../chat/log/run_log.ts";

/** All frames of a run, once it has ended. */
export async function collectRun({ log, followers }: FollowableRun): Promise<LoggedFrame[]> {
  followers.enter();
  try {
    while (!log.closed) await log.nextAppend();
    return log.after(0);
  } finally {
    followers.leave();
    followers.settle();
  }
}
