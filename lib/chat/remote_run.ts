import type { FrameReader } from "../store/runs/frame_reader.ts";
import type { RunLogStore } from "../store/runs/run_log_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { CorruptRecordError } from "../store/values/record.ts";
import { type FollowableRun, RunLog } from "./run_log.ts";

/** Between two looks at a log that another process writes, which stores 4 times a second at most. */
const LOOK_MS = 250;

/** Until the store has part `next` of a run's log or its end, or for a while; or it is called off. */
export async function waitForChange(
  run: { tenant: string; runId: string; next: number },
  { store, runtime, signal }: { store: RunLogStore; runtime: Runtime; signal?: AbortSignal },
): Promise<void> {
  const waiting = new AbortController();
  const either = signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
  const late = runtime.sleep(LOOK_MS, either).catch(() => {});
  const told = store.waitForChange(run, either).catch(() => late);
  try {
    await Promise.race([late, told]);
  } finally {
    waiting.abort();
  }
}

/** Every so many looks it is asked whether the owner still lives, and told that somebody watches. */
const LOOKS_PER_CHECK = 20;

/** What a follower of another process's run does besides reading. */
export interface RemoteRunDeps {
  store: RunLogStore;
  runtime: Runtime;
  /** Ends the run if its process has died; false when nobody will ever go on with its log. */
  checkOwner: () => Promise<boolean>;
  /** Notifies the process that runs it that a client follows the run here. */
  recordWatched: (owner: string | undefined) => Promise<void>;
  /** Nobody follows it from here any more. */
  onIdle: () => void;
}

/**
 * A run that another process runs, or that has ended: its log, copied from the store for as long as
 * somebody follows it, once for all who do.
 */
export class RemoteRun implements FollowableRun {
  readonly id: string;
  readonly log = new RunLog();
  readonly watchers = {
    enter: () => this.#enter(),
    leave: () => this.#leave(),
    settle: () => {},
  };
  #tenant: string;
  #parts: RemoteRunDeps;
  #reader: FrameReader;
  #owner: string | undefined;
  #followers = 0;
  #stop = new AbortController();

  constructor(run: { tenant: string; runId: string }, parts: RemoteRunDeps) {
    this.id = run.runId;
    this.#tenant = run.tenant;
    this.#parts = parts;
    this.#reader = parts.store.reader(run.tenant, run.runId);
  }

  async recordEnd(n: number): Promise<void> {
    // Who is not remembered is told the end again when it comes back.
    await this.#parts.store.recordReportedEnd(this.#tenant, this.id, n).catch(() => {});
  }

  #enter(): void {
    if (this.#followers++ === 0) this.#follow();
  }

  #leave(): void {
    if (--this.#followers > 0) return;
    this.#stop.abort();
    this.#parts.onIdle();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    for (let looks = 0; !signal.aborted && !this.log.closed; looks++) {
      try {
        await this.#look();
        if (this.log.closed) return;
        if (looks % LOOKS_PER_CHECK === 0) await this.#check();
      } catch (error) {
        // What cannot be read now never will be. A store that does not answer is asked again.
        if (error instanceof CorruptRecordError) return this.log.interrupt();
      }
      const { store, runtime } = this.#parts;
      const run = { tenant: this.#tenant, runId: this.id, next: this.#reader.next };
      await waitForChange(run, { store, runtime, signal });
    }
  }

  /** Copies what is new. A log that has gone ends as one whose process died. */
  async #look(): Promise<void> {
    const news = await this.#reader.poll();
    if (news === undefined) return this.log.interrupt();
    const { head, frames } = news;
    for (const frame of frames) this.log.append(frame);
    this.#owner = head.state === "running" ? head.owner : undefined;
    if (head.state === "interrupted") this.log.interrupt(head.told);
  }

  async #check(): Promise<void> {
    await this.#parts.recordWatched(this.#owner);
    if (await this.#parts.checkOwner()) return;
    await this.#look();
    // Without an entry of a live run its head would be ended as well: it was never let in.
    if (!this.log.closed) this.log.interrupt();
  }
}
