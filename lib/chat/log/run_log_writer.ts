import { setImmediate } from "node:timers";
import type { Batch, Remainder, RunLogWriterDeps } from "./run_log_batch.ts";
import type { Transaction } from "../../store/tx/operation.ts";
import type { ActiveRun } from "../../store/runs/active_run.ts";
import type { SettleHook } from "../../billing/decide_settlement.ts";
import { contentContexts } from "../../store/encryption/content_cipher.ts";
import { keys } from "../../store/keys/keys.ts";
import { splitChunks, totalBytes } from "../../store/values/chunks.ts";
import { appendLog, closedLog, type LogState } from "../../store/runs/run_log_head.ts";
import { encodeFrames } from "../../store/runs/frame_reader.ts";
import { setTimer } from "../../platform/runtime.ts";
import type { Frame } from "../../schemas/frames.ts";
import { endRunLog } from "../../store/runs/run_log_store.ts";

/** Text is stored after this long, or when there is this much. */
const BATCH_MS = 1_000;
const BATCH_BYTES = 32 * 1024;
/** The same while a client follows the run through another process. */
const WATCHED_BATCH_MS = 250;
/** Followers are recorded every 5 s; one lost record must not slow the text down. */
const FOLLOWED_FOR_MS = 12_000;
/** The end of a run does not count: it is stored with the settlement. */
const MAX_COMMITS_PER_SECOND = 4;
/** Between attempts to store a frame that a tool waits for. */
const RETRY_MS = 250;
/** A run that took this long can wait a moment more for its settlement, which others then share. */
const LONG_RUN_MS = 500;
/** Chunks of 48 KiB. A commit takes 600 KB including everything else in it. */
const CHUNKS_PER_COMMIT = 8;
/** Bytes of frames that always fit into one commit, together with the final frames. */
const BYTES_PER_COMMIT = (CHUNKS_PER_COMMIT - 1) * 48 * 1024;
/** Bytes of a commit besides its chunks. */
const COMMIT_OVERHEAD = 2_048;

/** Stored immediately, like `start`: after a crash, clients must find what tools have done. */
const URGENT = new Set<Frame["type"]>(["tool_call", "tool_result"]);

/**
 * Stores a run's log in batches as it grows: clients receive a frame immediately, the store soon after.
 * Only the process that owns the run writes its log, so memory always knows what is stored, except for
 * the batch in flight. A chunk that may have been read is never changed, only written again unchanged.
 */
export class RunLogWriter {
  /** The key of the active run. */
  readonly key: Deno.KvKey;
  readonly #deps: RunLogWriterDeps;
  readonly #startedAt: number;
  /** What is certainly stored. */
  #stored: Pick<LogState, "chunks" | "frames">;
  #batch: Batch | undefined;
  #pendingBytes = 0;
  #cancelTimer: (() => void) | undefined;
  #commitTimes: number[] = [];
  #writing: Promise<void> | undefined;
  /** There is more to store after the commit in flight. */
  #behind = false;
  #ended = false;
  #followedUntil = -Infinity;

  constructor(deps: RunLogWriterDeps) {
    this.#deps = deps;
    this.#stored = deps.begun;
    this.#startedAt = deps.runtime.now();
    this.key = keys.activeRun(deps.facts.tenant, deps.facts.runId);
  }

  /** The stored log, if it ends here. */
  get state(): LogState {
    return closedLog(this.#deps.begun, this.#stored);
  }

  /** Must be called for each frame appended to the log. */
  onAppend(frame: Frame): void {
    if (this.#ended) return;
    this.#pendingBytes += frame.type === "delta" ? frame.text.length : 64;
    if (frame.type === "start") setImmediate(() => this.#storeStart());
    else if (URGENT.has(frame.type) || this.#pendingBytes >= BATCH_BYTES) this.#schedule(0);
    else {
      const isFollowed = this.#deps.runtime.now() < this.#followedUntil;
      this.#schedule(isFollowed ? WATCHED_BATCH_MS : BATCH_MS);
    }
  }

  /** A client follows the run through another process: stores pending text now, then more often. */
  onFollowed(): void {
    if (this.#ended) return;
    this.#followedUntil = this.#deps.runtime.now() + FOLLOWED_FOR_MS;
    if (this.#cancelTimer !== undefined) this.#schedule(0);
  }

  /**
   * Stores frame `n` now, whatever the commit rate: a tool waits for it. False if it was not stored before
   * the log's end or `signal` is aborted.
   */
  async whenStored(n: number, signal: AbortSignal): Promise<boolean> {
    const isStored = () => this.#stored.frames >= n;
    while (!isStored() && !this.#ended && !signal.aborted) {
      const isFirst = this.#writing === undefined;
      if (isFirst) this.#flush();
      await this.#writing;
      // The store has failed; a commit that was in flight did not have the frame.
      if (isFirst && !isStored()) await this.#deps.runtime.sleep(RETRY_MS, signal).catch(() => {});
    }
    return isStored();
  }

  /** Immediate answers have ended by now and are stored with their settlement. */
  #storeStart(): void {
    if (!this.#ended && this.#stored.frames === 0 && this.#writing === undefined) this.#schedule(0);
  }

  /**
   * Ends the log in the commit that settles its run: stores what is not stored yet and the final frames,
   * which depend on what was charged (micro-USD). From now on nothing else is stored.
   */
  async settleHook(finalFrames: (charged: number) => readonly Frame[]): Promise<SettleHook> {
    this.#ended = true;
    this.#cancelTimer?.();
    const { log, sent, unstored, size } = await this.#takeRemainder();
    // The settlement must not fail because of the log: store the run as interrupted instead.
    const isTooLarge = size > BYTES_PER_COMMIT;
    return {
      keys: [],
      canWait: this.#deps.runtime.now() - this.#startedAt >= LONG_RUN_MS,
      estimatedBytes: COMMIT_OVERHEAD + (isTooLarge ? 0 : size),
      write: (transaction, { charged }) => {
        if (isTooLarge) return this.#end(transaction, this.state, "interrupted");
        const ends = finalFrames(charged);
        const frames = unstored.frames + ends.length;
        // A run that failed before its first frame has no log.
        if (log.frames + frames === 0) return;
        const grown = appendLog(log, { frames, bytes: [unstored.bytes, encodeFrames(ends)] });
        const chunks = grown.parts.map((chunk, i) =>
          this.#deps.content.sealSync(chunk, this.#chunkContext(log.chunks + i))
        );
        this.#writeChunks(transaction, [...sent, ...chunks], log.chunks - sent.length);
        this.#end(transaction, this.#sealTail(grown.log), "done");
      },
    };
  }

  /** Stores what the settlement has no capacity for, and returns the rest. */
  async #takeRemainder(): Promise<Remainder> {
    for (let before = -1;;) {
      const remainder = this.#remainder();
      const { frames } = this.#stored;
      // Repeat while there is progress.
      if (remainder.size <= BYTES_PER_COMMIT || frames === before) return remainder;
      before = frames;
      await this.#writing;
      await this.#store({ evenIfEnded: true }).catch(() => {});
    }
  }

  /** Discards a batch that was not sent. A sent one stays: it may be stored. */
  #remainder(): Remainder {
    if (this.#batch?.sent === false) this.#batch = undefined;
    const sent = this.#batch?.chunks ?? [];
    const chunks = this.#stored.chunks + sent.length;
    const frames = this.#batch?.frames ?? this.#stored.frames;
    const rest = this.#deps.log.after(frames).map(({ frame }) => frame);
    const unstored = { frames: rest.length, bytes: encodeFrames(rest) };
    const size = totalBytes(sent) + unstored.bytes.length;
    return { log: closedLog(this.#deps.begun, { chunks, frames }), sent, unstored, size };
  }

  #end(transaction: Transaction, log: LogState, state: "done" | "interrupted"): void {
    const { facts, runtime } = this.#deps;
    endRunLog(transaction, { facts, log, state, now: runtime.now() });
  }

  /** Stores after `ms`, or earlier if already scheduled, but never beyond the commit rate. */
  #schedule(ms: number): void {
    if (this.#cancelTimer !== undefined && ms > 0) return;
    const { runtime } = this.#deps;
    const oldest = this.#commitTimes.at(-MAX_COMMITS_PER_SECOND);
    const rateWait = oldest === undefined ? 0 : Math.max(0, oldest + 1_000 - runtime.now());
    const wait = Math.max(ms, rateWait);
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (wait === 0) return this.#flush();
    this.#cancelTimer = setTimer(runtime, wait, () => {
      this.#cancelTimer = undefined;
      this.#flush();
    });
  }

  /** One commit at a time, so that requests to a slow store do not pile up. */
  #flush(): void {
    if (this.#writing !== undefined) {
      this.#behind = true;
      return;
    }
    this.#behind = false;
    const recent = this.#commitTimes.slice(1 - MAX_COMMITS_PER_SECOND);
    this.#commitTimes = [...recent, this.#deps.runtime.now()];
    // Retry even if no frame follows: followers in other processes wait for the failed batch.
    const onFailed = () => void (this.#behind = true);
    this.#writing = this.#store().catch(onFailed).finally(() => {
      this.#writing = undefined;
      if (this.#behind && !this.#ended) this.#schedule(0);
    });
  }

  async #store({ evenIfEnded = false } = {}): Promise<void> {
    const isWanted = () => evenIfEnded || !this.#ended;
    if (this.#batch === undefined) await this.#seal();
    // A batch whose outcome is unknown is written again unchanged; newer frames follow it.
    else this.#behind = true;
    while (this.#batch !== undefined && isWanted()) {
      const { chunks, frames } = this.#batch;
      const next = chunks.slice(0, CHUNKS_PER_COMMIT);
      const written = await this.#write(next, isWanted);
      if (written === "lost") return this.#deps.onLost();
      if (written === "unwanted") return;
      const isLast = next.length === chunks.length;
      this.#stored = {
        chunks: this.#stored.chunks + next.length,
        frames: isLast ? frames : this.#stored.frames,
      };
      this.#batch = isLast ? undefined : { ...this.#batch, chunks: chunks.slice(next.length) };
    }
  }

  /** Creates a batch of the frames that are not stored yet, if any. */
  async #seal(): Promise<void> {
    const { log, content } = this.#deps;
    const unstored = log.after(this.#stored.frames).map(({ frame }) => frame);
    if (unstored.length === 0) return;
    this.#pendingBytes = 0;
    const frames = this.#stored.frames + unstored.length;
    const chunks = await Promise.all(
      splitChunks(encodeFrames(unstored)).map((chunk, i) =>
        content.seal(chunk, this.#chunkContext(this.#stored.chunks + i))
      ),
    );
    this.#batch = { chunks, frames, sent: false };
  }

  /** Stores chunks of the batch, provided that the run is still active and they are wanted. */
  #write(
    chunks: readonly Uint8Array[],
    isWanted: () => boolean,
  ): Promise<"written" | "unwanted" | "lost"> {
    return this.#deps.committer.run<"written" | "unwanted" | "lost">({
      keys: [this.key],
      decide: (transaction) => {
        if (!isWanted()) return "unwanted";
        if (transaction.get<ActiveRun>(this.key) === undefined) return "lost";
        if (this.#batch !== undefined) this.#batch.sent = true;
        this.#writeChunks(transaction, chunks, this.#stored.chunks);
        return "written";
      },
      // If this ends meanwhile, the settlement reads the store itself.
      isFinal: () => !isWanted(),
      canWait: true,
      estimatedBytes: COMMIT_OVERHEAD + totalBytes(chunks),
    });
  }

  #sealTail(log: LogState): LogState {
    const { facts: { tenant, runId }, content } = this.#deps;
    const context = contentContexts.logTail(tenant, runId, log.frames);
    return { ...log, tail: content.sealSync(log.tail, context) };
  }

  #chunkContext(n: number) {
    const { tenant, runId } = this.#deps.facts;
    return contentContexts.logChunk(tenant, runId, n);
  }

  #writeChunks(transaction: Transaction, chunks: readonly Uint8Array[], first: number): void {
    const { facts: { tenant, runId }, chunkTtlMs } = this.#deps;
    chunks.forEach((chunk, i) => {
      transaction.blindWrite(keys.runLogChunk(tenant, runId, first + i), chunk, {
        expireIn: chunkTtlMs,
      });
    });
  }
}
