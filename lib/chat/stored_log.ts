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
/** A run is stored at most this often in a second, whatever happens in it; its end goes with the settlement. */
const COMMITS_A_SECOND = 4;
/** Parts of 48 KiB that go into one commit, which takes 600 KB with all else in it. */
const PARTS_A_COMMIT = 8;

/** Frames that a client must find after a crash: what was begun, and what tools have done. */
const URGENT = new Set<Frame["type"]>(["start", "tool_call", "tool_result"]);

/** What storing a log takes. */
export interface StoredLogParts {
  committer: Committer;
  system: System;
  head: RunHead;
  log: RunLog;
  /** Somebody else has ended the run, because this process stood still. */
  onLost: () => void;
}

/**
 * Stores a run's log as it grows, in batches: a frame is sent at once and stored soon. Only the process
 * that runs it writes it, so that memory always knows what is stored.
 */
export class StoredLog {
  #parts: StoredLogParts;
  #head: RunHead;
  #pendingBytes = 0;
  #waiting: AbortController | undefined;
  #commits: number[] = [];
  #writing: Promise<void> | undefined;
  /** There was something to store while a commit was under way. */
  #behind = false;
  #ended = false;

  constructor(parts: StoredLogParts) {
    this.#parts = parts;
    this.#head = parts.head;
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
    if (packFrames(this.#unstored()).length > PARTS_A_COMMIT) await this.#store().catch(() => {});
    const unstored = this.#unstored();
    const parts = packFrames(unstored);
    // A settlement must not fail for its log: to others such a run was interrupted.
    const isTooMuch = parts.length > PARTS_A_COMMIT;
    const bytes = 2_048 + (isTooMuch ? 0 : bytesOf(parts));
    return {
      keys: [this.key],
      bytes,
      write: (draft, { charged }) => {
        const head = this.#furthest(draft.get<RunHead>(this.key));
        if (isTooMuch) return this.#end(draft, { ...head, state: "interrupted" });
        const rest = unstored.slice(head.frames - this.#head.frames);
        const frames = [...rest, ...last(charged)];
        // A run that was refused before its first frame has no log.
        if (head.frames + frames.length === 0) return draft.delete(this.key);
        this.#end(draft, { ...this.#write(draft, frames, { head }), state: "done" });
      },
    };
  }

  /** Where the head of the log is. */
  get key(): Deno.KvKey {
    return keys.runHead(this.#head.tenant, this.#head.runId);
  }

  #end(draft: Draft, head: RunHead): void {
    const exp = this.#parts.system.now() + LOG_KEPT_MS;
    draft.set(this.key, { ...head, exp }, { expireIn: 2 * LOG_KEPT_MS });
  }

  /** Sooner wins over later; never more often than allowed. */
  #schedule(ms: number): void {
    if (this.#waiting !== undefined && ms > 0) return;
    const { system } = this.#parts;
    const oldest = this.#commits.at(-COMMITS_A_SECOND);
    const free = oldest === undefined ? 0 : Math.max(0, oldest + 1_000 - system.now());
    const wait = Math.max(ms, free);
    this.#waiting?.abort();
    this.#waiting = undefined;
    if (wait === 0) return this.#flush();
    const waiting = new AbortController();
    this.#waiting = waiting;
    system.sleep(wait, waiting.signal).then(() => {
      this.#waiting = undefined;
      this.#flush();
    }, () => {});
  }

  /** Begins to store; one commit at a time, so that a slow store is not asked for more and more. */
  #flush(): void {
    if (this.#writing !== undefined) {
      this.#behind = true;
      return;
    }
    this.#behind = false;
    this.#commits = [...this.#commits.slice(1 - COMMITS_A_SECOND), this.#parts.system.now()];
    // What fails is in the next batch, or in the end: others wait for it even when nothing else comes.
    const failed = () => void (this.#behind = true);
    this.#writing = this.#store().catch(failed).finally(() => {
      this.#writing = undefined;
      if (this.#behind && !this.#ended) this.#schedule(0);
    });
  }

  async #store(): Promise<void> {
    const frames = this.#unstored();
    if (frames.length === 0) return;
    this.#pendingBytes = 0;
    const parts = packFrames(frames);
    const { key } = this;
    let held = await this.#storeAhead(parts);
    if (this.#isAsKnown(held)) {
      held = await this.#parts.committer.run({
        keys: [key],
        decide: (draft) => {
          const before = draft.get<RunHead>(key);
          if (!this.#isAsKnown(before)) return before;
          const head = this.#write(draft, frames, { onlyLast: true });
          draft.set(key, head, { expireIn: CHUNK_KEPT_MS });
          return head;
        },
        bytes: 1_024 + bytesOf(parts.slice(-PARTS_A_COMMIT)),
      });
    }
    if (held?.state !== "running") return this.#parts.onLost();
    if (held.frames < this.#head.frames + frames.length) this.#behind = true;
    this.#head = held;
  }

  /**
   * Whether the stored head is what memory has of it. It is further when a commit that was given up has
   * been made after all: followers may have read its parts, so they stay, and the log goes on after them.
   */
  #isAsKnown(held: RunHead | undefined): boolean {
    return held?.state === "running" && held.frames === this.#head.frames;
  }

  #furthest(held: RunHead | undefined): RunHead {
    return held?.state === "running" && held.frames > this.#head.frames ? held : this.#head;
  }

  /**
   * Stores those of the parts that one commit has no room for. Nobody reads them before the head says
   * so, and a second try writes the same again. Answers the head as it is in the store.
   */
  async #storeAhead(parts: readonly Uint8Array[]): Promise<RunHead | undefined> {
    const { tenant, runId, chunks } = this.#head;
    const { key } = this;
    for (let at = 0; at < parts.length - PARTS_A_COMMIT; at += PARTS_A_COMMIT) {
      const some = parts.slice(at, Math.min(at + PARTS_A_COMMIT, parts.length - PARTS_A_COMMIT));
      const held = await this.#parts.committer.run({
        keys: [key],
        decide: (draft) => {
          const before = draft.get<RunHead>(key);
          if (this.#isAsKnown(before)) {
            noteParts(draft, some, (i) => keys.runChunk(tenant, runId, chunks + at + i));
          }
          return before;
        },
        bytes: 1_024 + bytesOf(some),
      });
      if (!this.#isAsKnown(held)) return held;
    }
    return this.#head;
  }

  /** Notes the parts of `frames`, which come after `head`; answers the head that goes with them. */
  #write(
    draft: Draft,
    frames: readonly Frame[],
    { head = this.#head, onlyLast = false } = {},
  ): RunHead {
    const { tenant, runId, chunks } = head;
    const parts = packFrames(frames);
    const ahead = onlyLast ? Math.max(0, parts.length - PARTS_A_COMMIT) : 0;
    const keyOf = (i: number) => keys.runChunk(tenant, runId, chunks + ahead + i);
    noteParts(draft, parts.slice(ahead), keyOf);
    return { ...head, chunks: chunks + parts.length, frames: head.frames + frames.length };
  }

  #unstored(): Frame[] {
    return this.#parts.log.after(this.#head.frames).map(({ frame }) => frame);
  }
}

function noteParts(
  draft: Draft,
  parts: readonly Uint8Array[],
  keyOf: (i: number) => Deno.KvKey,
): void {
  parts.forEach((part, i) => draft.note(keyOf(i), part, { expireIn: CHUNK_KEPT_MS }));
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
