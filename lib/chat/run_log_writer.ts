import { setImmediate } from "node:timers";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { Transaction } from "../store/tx/operation.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { SettleHook } from "../billing/decide_settlement.ts";
import { type ContentCipher, contentContexts } from "../store/encryption/content_cipher.ts";
import { keys } from "../store/keys/keys.ts";
import { splitChunks, totalBytes } from "../store/values/chunks.ts";
import { appendLog, closedLog, type LogState } from "../store/runs/run_log_head.ts";
import { encodeFrames } from "../store/runs/frame_reader.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Frame } from "../schemas/frames.ts";
import { endRunLog } from "../store/runs/end_run_log.ts";
import type { RunLog } from "./run_log.ts";

/** Text waits this long for more of it, or until there is this much. */
const BATCH_MS = 1_000;
const BATCH_BYTES = 32 * 1024;
/** How often text is stored while a client follows the run through another process. */
const WATCHED_BATCH_MS = 250;
/** A follower is recorded every 5 s; one lost record must not slow the text down. */
const WATCHED_FOR_MS = 12_000;
/** A run is stored at most this often in a second, whatever happens in it; its end goes with the settlement. */
const COMMITS_A_SECOND = 4;
/** Parts of 48 KiB that go into one commit, which takes 600 KB with all else in it. */
const PARTS_A_COMMIT = 8;
/** Bytes of frames that always fit into as many, with the last frames. */
const BYTES_A_COMMIT = (PARTS_A_COMMIT - 1) * 48 * 1024;

/** Frames that a client must find after a crash, as it must `start`: what tools have done. */
const URGENT = new Set<Frame["type"]>(["tool_call", "tool_result"]);

/** What storing a log takes. */
export interface RunLogWriterDeps {
  committer: GroupCommitter;
  runtime: Runtime;
  content: ContentCipher;
  facts: RunFacts;
  /** The log as it is stored with the run when that begins, without any frame. */
  begun: LogState;
  log: RunLog;
  /** How long its parts are kept, milliseconds. */
  keptMs: number;
  /** Somebody else has ended the run, because this process stood still. */
  onLost: () => void;
}

/** Frames that are on their way to the store: encrypted parts, which go on from what is stored. */
interface Batch {
  parts: Uint8Array[];
  /** How many frames of the log are stored with them. */
  frames: number;
  /** They may be stored, even if their commit failed, so a follower may have read them. */
  sent: boolean;
}

/**
 * Stores a run's log as it grows, in batches: a frame is sent at once and stored soon. Each batch is
 * written once, as parts that go on from those before. Only the process that runs it writes it, so that
 * memory always knows what is stored, but for the batch under way: a part that may have been read is
 * never changed, only written again as it was.
 */
export class RunLogWriter {
  /** Where the run is kept while it goes on. */
  readonly key: Deno.KvKey;
  #parts: RunLogWriterDeps;
  /** How many parts and frames are stored for certain. */
  #stored: Pick<LogState, "chunks" | "frames">;
  #batch: Batch | undefined;
  #pendingBytes = 0;
  #waiting: (() => void) | undefined;
  #commits: number[] = [];
  #writing: Promise<void> | undefined;
  /** There was something to store while a commit was under way. */
  #behind = false;
  #ended = false;
  #watchedUntil = -Infinity;

  constructor(parts: RunLogWriterDeps) {
    this.#parts = parts;
    this.#stored = parts.begun;
    this.key = keys.activeRun(parts.facts.tenant, parts.facts.runId);
  }

  /** The log as others find it, if it ends here. */
  get state(): LogState {
    return closedLog(this.#parts.begun, this.#stored);
  }

  /** To be told of each frame that was written to the log. */
  onAppend(frame: Frame): void {
    if (this.#ended) return;
    this.#pendingBytes += frame.type === "delta" ? frame.text.length : 64;
    if (frame.type === "start") setImmediate(() => this.#storeStart());
    else if (URGENT.has(frame.type) || this.#pendingBytes >= BATCH_BYTES) this.#schedule(0);
    else this.#schedule(this.#isWatched() ? WATCHED_BATCH_MS : BATCH_MS);
  }

  /** A client follows the run through another process: stores pending text now, then more often. */
  onWatched(): void {
    if (this.#ended) return;
    this.#watchedUntil = this.#parts.runtime.now() + WATCHED_FOR_MS;
    if (this.#waiting !== undefined) this.#schedule(0);
  }

  #isWatched(): boolean {
    return this.#parts.runtime.now() < this.#watchedUntil;
  }

  /** An answer that has come at once is over by now, and stored with its end. */
  #storeStart(): void {
    if (!this.#ended && this.#stored.frames === 0 && this.#writing === undefined) this.#schedule(0);
  }

  /**
   * What ends the log in the commit that settles its run: all that is not stored yet, and the `last`
   * frames, which depend on what was charged (micro-USD). Nothing is stored by itself from now on: what
   * waits to be stored is left to the settlement.
   */
  async settleHook(last: (charged: number) => readonly Frame[]): Promise<SettleHook> {
    this.#ended = true;
    this.#waiting?.();
    const { log, sent, unstored, size } = await this.#left();
    // A settlement must not fail for its log: to others such a run was interrupted.
    const isTooMuch = size > BYTES_A_COMMIT;
    return {
      keys: [],
      estimatedBytes: 2_048 + (isTooMuch ? 0 : size),
      write: (draft, { charged }) => {
        if (isTooMuch) return this.#end(draft, this.state, "interrupted");
        const ends = last(charged);
        const frames = unstored.frames + ends.length;
        // A run that was refused before its first frame has no log.
        if (log.frames + frames === 0) return;
        const grown = appendLog(log, { frames, bytes: [unstored.bytes, encodeFrames(ends)] });
        const parts = grown.parts.map((part, i) => {
          return this.#parts.content.sealSync(part, this.#chunkPlace(log.chunks + i));
        });
        this.#noteParts(draft, [...sent, ...parts], log.chunks - sent.length);
        this.#end(draft, this.#sealed(grown.log), "done");
      },
    };
  }

  /** What is left to the settlement: what it has no room for is stored ahead of it. */
  async #left(): Promise<Remainder> {
    for (let before = -1;;) {
      const left = this.#leave();
      const { frames } = this.#stored;
      // Repeats while it makes progress.
      if (left.size <= BYTES_A_COMMIT || frames === before) return left;
      before = frames;
      await this.#writing;
      await this.#store({ ahead: true }).catch(() => {});
    }
  }

  /** Takes a batch apart that was not sent. One that was sent stays: it may be stored. */
  #leave(): Remainder {
    if (this.#batch?.sent === false) this.#batch = undefined;
    const sent = this.#batch?.parts ?? [];
    const chunks = this.#stored.chunks + sent.length;
    const frames = this.#batch?.frames ?? this.#stored.frames;
    const rest = this.#parts.log.after(frames).map(({ frame }) => frame);
    const unstored = { frames: rest.length, bytes: encodeFrames(rest) };
    const size = totalBytes(sent) + unstored.bytes.length;
    return { log: closedLog(this.#parts.begun, { chunks, frames }), sent, unstored, size };
  }

  #end(draft: Transaction, log: LogState, state: "done" | "interrupted"): void {
    const { facts, runtime } = this.#parts;
    endRunLog(draft, { facts, log, state, now: runtime.now() });
  }

  /** Sooner wins over later; never more often than allowed. */
  #schedule(ms: number): void {
    if (this.#waiting !== undefined && ms > 0) return;
    const { runtime } = this.#parts;
    const oldest = this.#commits.at(-COMMITS_A_SECOND);
    const free = oldest === undefined ? 0 : Math.max(0, oldest + 1_000 - runtime.now());
    const wait = Math.max(ms, free);
    this.#waiting?.();
    this.#waiting = undefined;
    if (wait === 0) return this.#flush();
    this.#waiting = setTimer(runtime, wait, () => {
      this.#waiting = undefined;
      this.#flush();
    });
  }

  /** Begins to store; one commit at a time, so that a slow store is not asked for more and more. */
  #flush(): void {
    if (this.#writing !== undefined) {
      this.#behind = true;
      return;
    }
    this.#behind = false;
    this.#commits = [...this.#commits.slice(1 - COMMITS_A_SECOND), this.#parts.runtime.now()];
    // What fails is in the next batch, or in the end: others wait for it even when nothing else comes.
    const failed = () => void (this.#behind = true);
    this.#writing = this.#store().catch(failed).finally(() => {
      this.#writing = undefined;
      if (this.#behind && !this.#ended) this.#schedule(0);
    });
  }

  /** `ahead` of the settlement, which has no room for it all. */
  async #store({ ahead = false } = {}): Promise<void> {
    const isWanted = () => ahead || !this.#ended;
    if (this.#batch === undefined) await this.#pack();
    // A batch whose outcome is unknown is written again unchanged, with newer frames after it.
    else this.#behind = true;
    while (this.#batch !== undefined && isWanted()) {
      const { parts, frames } = this.#batch;
      const some = parts.slice(0, PARTS_A_COMMIT);
      const written = await this.#write(some, isWanted);
      if (written === "lost") return this.#parts.onLost();
      if (written === "unwanted") return;
      const isLast = some.length === parts.length;
      const chunks = this.#stored.chunks + some.length;
      this.#stored = { chunks, frames: isLast ? frames : this.#stored.frames };
      this.#batch = isLast ? undefined : { ...this.#batch, parts: parts.slice(some.length) };
    }
  }

  /** Makes a batch of what is not stored yet, if there is any. */
  async #pack(): Promise<void> {
    const { log, content } = this.#parts;
    const unstored = log.after(this.#stored.frames).map(({ frame }) => frame);
    if (unstored.length === 0) return;
    this.#pendingBytes = 0;
    const frames = this.#stored.frames + unstored.length;
    const parts = await Promise.all(
      splitChunks(encodeFrames(unstored)).map((part, i) => {
        return content.seal(part, this.#chunkPlace(this.#stored.chunks + i));
      }),
    );
    this.#batch = { parts, frames, sent: false };
  }

  /** Stores the first parts of the batch while the run is live and they are wanted. */
  #write(
    parts: readonly Uint8Array[],
    isWanted: () => boolean,
  ): Promise<"written" | "unwanted" | "lost"> {
    return this.#parts.committer.run<"written" | "unwanted" | "lost">({
      keys: [this.key],
      decide: (draft) => {
        if (!isWanted()) return "unwanted";
        if (draft.get<ActiveRun>(this.key) === undefined) return "lost";
        if (this.#batch !== undefined) this.#batch.sent = true;
        this.#noteParts(draft, parts, this.#stored.chunks);
        return "written";
      },
      // The settlement asks the store itself.
      isFinal: () => !isWanted(),
      estimatedBytes: 2_048 + totalBytes(parts),
    });
  }

  #sealed(log: LogState): LogState {
    const { tenant, runId } = this.#parts.facts;
    const place = contentContexts.logTail(tenant, runId, log.frames);
    return { ...log, tail: this.#parts.content.sealSync(log.tail, place) };
  }

  #chunkPlace(n: number) {
    const { tenant, runId } = this.#parts.facts;
    return contentContexts.logChunk(tenant, runId, n);
  }

  #noteParts(draft: Transaction, parts: readonly Uint8Array[], at: number): void {
    const { facts: { tenant, runId }, keptMs } = this.#parts;
    parts.forEach((part, i) => {
      draft.blindWrite(keys.runLogChunk(tenant, runId, at + i), part, { expireIn: keptMs });
    });
  }
}

/** What a settlement stores of a log. */
interface Remainder {
  /** With the parts that were `sent`. */
  log: LogState;
  sent: readonly Uint8Array[];
  unstored: { frames: number; bytes: Uint8Array };
  /** Bytes of both. */
  size: number;
}
