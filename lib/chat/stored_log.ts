import type { Committer } from "../committer/committer.ts";
import type { Draft } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import { CHUNK_KEPT_MS, LOG_KEPT_MS, type RunHead } from "../storage/run_head.ts";
import { packFrames } from "../storage/run_log_store.ts";
import type { Closing } from "../limits/settle_run.ts";
import type { System } from "../system.ts";
import type { Frame } from "../wire/frames.ts";
import type { RunLog } from "./run_log.ts";

/** Text waits this long for more of it, or until there is this much. */
const BATCH_MS = 250;
const BATCH_BYTES = 8 * 1024;
/** A run is stored at most this often in a second, whatever happens in it. */
const COMMITS_A_SECOND = 4;

/** Frames that a client must find after a crash: what was begun, and what tools have done. */
const URGENT = new Set<Frame["type"]>(["start", "tool_call", "tool_result"]);

/**
 * Stores a run's log as it grows, in batches: a frame is sent at once and stored soon. Only the process
 * that runs it writes it, so that memory always knows what is stored.
 */
export class StoredLog {
  #committer: Committer;
  #system: System;
  #head: RunHead;
  #log: RunLog;
  #onLost: () => void;
  #pendingBytes = 0;
  #waiting: AbortController | undefined;
  #commits: number[] = [];
  #writing: Promise<void> = Promise.resolve();
  #ended = false;

  /** `onLost` is told when somebody else has ended the run, because this process stood still. */
  constructor(
    parts: {
      committer: Committer;
      system: System;
      head: RunHead;
      log: RunLog;
      onLost: () => void;
    },
  ) {
    this.#committer = parts.committer;
    this.#system = parts.system;
    this.#head = parts.head;
    this.#log = parts.log;
    this.#onLost = parts.onLost;
  }

  /** To be told of each frame that was written to the log. */
  appended(frame: Frame): void {
    if (this.#ended) return;
    this.#pendingBytes += frame.type === "delta" ? frame.text.length : 64;
    if (URGENT.has(frame.type) || this.#pendingBytes >= BATCH_BYTES) this.#schedule(0);
    else this.#schedule(BATCH_MS);
  }

  /**
   * What ends the log in the commit that settles its run: all that is not stored yet, and the `last`
   * frames, which depend on what was charged (micro-USD). Nothing is stored by itself from now on.
   */
  async closing(last: (charged: number) => readonly Frame[]): Promise<Closing> {
    this.#ended = true;
    this.#waiting?.abort();
    await this.#writing;
    const { key } = this;
    const unstored = this.#unstored();
    const bytes = 2_048 + packFrames(unstored).reduce((sum, part) => sum + part.length, 0);
    return {
      keys: [key],
      bytes,
      write: (draft, { charged }) => this.#end(draft, [...unstored, ...last(charged)]),
    };
  }

  #end(draft: Draft, frames: readonly Frame[]): void {
    const { key } = this;
    // A run that was refused before its first frame has no log.
    if (this.#head.frames + frames.length === 0) return draft.delete(key);
    const exp = this.#system.now() + LOG_KEPT_MS;
    const head: RunHead = { ...this.#write(draft, frames), state: "done", exp };
    draft.set(key, head, { expireIn: 2 * LOG_KEPT_MS });
  }

  /** Where the head of the log is. */
  get key(): Deno.KvKey {
    return keys.runHead(this.#head.tenant, this.#head.runId);
  }

  /** Sooner wins over later; never more often than allowed. */
  #schedule(ms: number): void {
    const now = this.#system.now();
    const oldest = this.#commits.at(-COMMITS_A_SECOND);
    const free = oldest === undefined ? 0 : Math.max(0, oldest + 1_000 - now);
    const wait = Math.max(ms, free);
    if (this.#waiting !== undefined && ms > 0) return;
    this.#waiting?.abort();
    this.#waiting = undefined;
    if (wait === 0) return this.#flush();
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#system.sleep(wait, waiting.signal).then(() => {
      this.#waiting = undefined;
      this.#flush();
    }, () => {});
  }

  #flush(): void {
    this.#commits = [...this.#commits.slice(1 - COMMITS_A_SECOND), this.#system.now()];
    // One after the other; what fails is in the next batch, or in the end.
    this.#writing = this.#writing.then(() => this.#store()).catch(() => {});
  }

  async #store(): Promise<void> {
    const frames = this.#unstored();
    if (frames.length === 0) return;
    this.#pendingBytes = 0;
    const { key } = this;
    const stored = await this.#committer.run<RunHead | undefined>({
      keys: [key],
      decide: (draft) => {
        if (draft.get<RunHead>(key)?.state !== "running") return undefined;
        const head = this.#write(draft, frames);
        draft.set(key, head, { expireIn: CHUNK_KEPT_MS });
        return head;
      },
      bytes: 1_024 + packFrames(frames).reduce((sum, part) => sum + part.length, 0),
    });
    if (stored === undefined) return this.#onLost();
    this.#head = stored;
  }

  /** Notes the parts of `frames`; answers the head that goes with them. */
  #write(draft: Draft, frames: readonly Frame[]): RunHead {
    const { tenant, runId, chunks } = this.#head;
    const parts = packFrames(frames);
    parts.forEach((part, i) => {
      draft.note(keys.runChunk(tenant, runId, chunks + i), part, { expireIn: CHUNK_KEPT_MS });
    });
    const total = this.#head.frames + frames.length;
    return { ...this.#head, chunks: chunks + parts.length, frames: total };
  }

  #unstored(): Frame[] {
    return this.#log.after(this.#head.frames).map(({ frame }) => frame);
  }
}
