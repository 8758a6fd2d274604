import type { Runtime } from "../platform/runtime.ts";
import type { FrameReader } from "../store/runs/frame_reader.ts";
import type { RunLogStore } from "../store/runs/run_log_store.ts";
import { CorruptRecordError } from "../store/values/record.ts";
import { type FollowableRun, RunLog } from "./log/run_log.ts";

/** Poll interval: the owner stores a log at most 4 times a second. */
const POLL_MS = 250;

/** Waits until the store has chunk `next` of a log or its end, for at most 250 ms. */
export async function waitForChange(
  run: { tenant: string; runId: string; next: number },
  { store, runtime, signal }: { store: RunLogStore; runtime: Runtime; signal?: AbortSignal },
): Promise<void> {
  const waiting = new AbortController();
  const either = signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
  const elapsed = runtime.sleep(POLL_MS, either).catch(() => {});
  const changed = store.waitForChange(run, either).catch(() => elapsed);
  try {
    await Promise.race([elapsed, changed]);
  } finally {
    waiting.abort();
  }
}

/** Polls between checks of the owner. */
const POLLS_PER_CHECK = 20;

export interface RemoteRunDeps {
  store: RunLogStore;
  runtime: Runtime;
  /** Settles the run if it is orphaned; false if its log will not continue. */
  checkOwner: () => Promise<boolean>;
  /** Tells the owner that a client follows the run here. */
  recordWatched: (owner: string | undefined) => Promise<void>;
  onIdle: () => void;
}

/**
 * A run of another process, or one that has ended: its log, copied from the store while it has followers,
 * once for all of them.
 */
export class RemoteRun implements FollowableRun {
  readonly id: string;
  readonly log = new RunLog();
  readonly followers = { enter: () => this.#enter(), leave: () => this.#leave(), settle: () => {} };
  readonly #tenant: string;
  readonly #deps: RemoteRunDeps;
  readonly #reader: FrameReader;
  readonly #abort = new AbortController();
  #owner: string | undefined;
  #followers = 0;

  constructor(run: { tenant: string; runId: string }, deps: RemoteRunDeps) {
    this.id = run.runId;
    this.#tenant = run.tenant;
    this.#deps = deps;
    this.#reader = deps.store.reader(run.tenant, run.runId);
  }

  async recordEnd(n: number): Promise<void> {
    // If this fails, a client that comes back receives the end again.
    const { store, runtime } = this.#deps;
    const end = { tenant: this.#tenant, runId: this.id, n };
    await store.recordReportedEnd(end, runtime.now()).catch(() => {});
  }

  #enter(): void {
    if (this.#followers++ === 0) this.#follow();
  }

  #leave(): void {
    if (--this.#followers > 0) return;
    this.#abort.abort();
    this.#deps.onIdle();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    const { store, runtime } = this.#deps;
    for (let polls = 0; !signal.aborted && !this.log.closed; polls++) {
      try {
        await this.#copyNew();
        if (this.log.closed) return;
        if (polls % POLLS_PER_CHECK === 0) await this.#check();
      } catch (error) {
        // A corrupt record stays corrupt; other errors of the store are retried.
        if (error instanceof CorruptRecordError) return this.log.interrupt();
      }
      const run = { tenant: this.#tenant, runId: this.id, next: this.#reader.next };
      await waitForChange(run, { store, runtime, signal });
    }
  }

  /** Appends new frames. A missing log counts as interrupted. */
  async #copyNew(): Promise<void> {
    const news = await this.#reader.poll();
    if (news === undefined) return this.log.interrupt();
    const { head, frames } = news;
    for (const frame of frames) this.log.append(frame);
    this.#owner = head.state === "running" ? head.owner : undefined;
    if (head.state === "interrupted") this.log.interrupt(head.told);
  }

  async #check(): Promise<void> {
    await this.#deps.recordWatched(this.#owner);
    if (await this.#deps.checkOwner()) return;
    await this.#copyNew();
    // Not active, yet its head does not say that it ended: it was never admitted.
    if (!this.log.closed) this.log.interrupt();
  }
}
