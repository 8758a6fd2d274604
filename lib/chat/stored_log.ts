import { setImmediate } from "node:timers";
import type { Committer } from "../committer/committer.ts";
import type { Draft } from "../committer/operation.ts";
import type { LiveRun } from "../storage/live_run.ts";
import type { Closing } from "../limits/settle_run.ts";
import { type ContentCipher, contentPlaces } from "../storage/content_cipher.ts";
import { keys } from "../storage/keys.ts";
import { sizeOfParts } from "../storage/parts.ts";
import { growLog, LOG_KEPT_MS, type LogState } from "../storage/run_head.ts";
import { headOf, packFrames } from "../storage/run_log_store.ts";
import { alarm, type System } from "../system.ts";
import type { RunFacts } from "../usage/run_record.ts";
import type { Frame } from "../wire/frames.ts";
import type { RunLog } from "./run_log.ts";

/** Text waits this long for more of it, or until there is this much. */
const BATCH_MS = 250;
const BATCH_BYTES = 8 * 1024;
/** A run is stored at most this often in a second, whatever happens in it; its end goes with the settlement. */
const COMMITS_A_SECOND = 4;
/** Parts of 48 KiB that go into one commit, which takes 600 KB with all else in it. */
const PARTS_A_COMMIT = 8;
/** Bytes of frames that always fit into as many, with a tail and the last frames. */
const BYTES_A_COMMIT = (PARTS_A_COMMIT - 1) * 48 * 1024;

/** Frames that a client must find after a crash, as it must `start`: what tools have done. */
const URGENT = new Set<Frame["type"]>(["tool_call", "tool_result"]);

/** What storing a log takes. */
export interface StoredLogParts {
  committer: Committer;
  system: System;
  content: ContentCipher;
  facts: RunFacts;
  /** What is stored of it when the run begins. */
  begun: LogState;
  log: RunLog;
  /** How long its parts are kept, milliseconds. */
  keptMs: number;
  /** Somebody else has ended the run, because this process stood still. */
  onLost: () => void;
}

/**
 * Stores a run's log as it grows, in batches: a frame is sent at once and stored soon. Only the process
 * that runs it writes it, so that memory always knows what is stored.
 */
export class StoredLog {
  /** Where the run is kept while it goes on, its log with it. */
  readonly key: Deno.KvKey;
  #parts: StoredLogParts;
  /** With its tail as it is before it is encrypted. */
  #stored: LogState;
  #pendingBytes = 0;
  #waiting: (() => void) | undefined;
  #commits: number[] = [];
  #writing: Promise<void> | undefined;
  /** There was something to store while a commit was under way. */
  #behind = false;
  #ended = false;

  constructor(parts: StoredLogParts) {
    this.#parts = parts;
    this.#stored = parts.begun;
    this.key = keys.liveRun(parts.facts.tenant, parts.facts.runId);
  }

  /** To be told of each frame that was written to the log. */
  appended(frame: Frame): void {
    if (this.#ended) return;
    this.#pendingBytes += frame.type === "delta" ? frame.text.length : 64;
    if (frame.type === "start") setImmediate(() => this.#storeStart());
    else if (URGENT.has(frame.type) || this.#pendingBytes >= BATCH_BYTES) this.#schedule(0);
    else this.#schedule(BATCH_MS);
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
  async closing(last: (charged: number) => readonly Frame[]): Promise<Closing> {
    this.#ended = true;
    this.#waiting?.();
    const { stored, unstored, bytes } = await this.#left();
    // A settlement must not fail for its log: to others such a run was interrupted.
    const isTooMuch = bytes.length > BYTES_A_COMMIT;
    return {
      keys: [],
      bytes: 2_048 + stored.tail.length + (isTooMuch ? 0 : bytes.length),
      write: (draft, { charged }) => {
        const log = this.#furthest(draft.get<LiveRun>(this.key)?.log, stored);
        if (isTooMuch) return this.#end(draft, log, "interrupted");
        const rest = unstored.slice(log.frames - stored.frames);
        const ends = last(charged);
        const frames = rest.length + ends.length;
        // A run that was refused before its first frame has no log.
        if (log.frames + frames === 0) return;
        const packed = rest.length === unstored.length ? bytes : packFrames(rest);
        const grown = growLog(log, { frames, bytes: [packed, packFrames(ends)] });
        const sealed = grown.parts.map((part, i) => {
          return this.#parts.content.sealSync(part, this.#chunkPlace(log.chunks + i));
        });
        this.#noteParts(draft, sealed, log.chunks);
        this.#end(draft, grown.log, "done");
      },
    };
  }

  /** What is left to the settlement: what it has no room for is stored ahead of it. */
  async #left(): Promise<{ stored: LogState; unstored: Frame[]; bytes: Uint8Array }> {
    for (let before = -1;;) {
      const stored = this.#stored;
      const unstored = this.#unstored();
      const bytes = packFrames(unstored);
      // Again while it comes further: a commit that was given up may have been made after all.
      if (bytes.length <= BYTES_A_COMMIT || stored.frames === before) {
        return { stored, unstored, bytes };
      }
      before = stored.frames;
      await this.#writing;
      await this.#store({ ahead: true }).catch(() => {});
    }
  }

  #end(draft: Draft, log: LogState, state: "done" | "interrupted"): void {
    const { facts, system } = this.#parts;
    endLog(draft, { facts, log: this.#sealed(log), state, now: system.now() });
  }

  /** Sooner wins over later; never more often than allowed. */
  #schedule(ms: number): void {
    if (this.#waiting !== undefined && ms > 0) return;
    const { system } = this.#parts;
    const oldest = this.#commits.at(-COMMITS_A_SECOND);
    const free = oldest === undefined ? 0 : Math.max(0, oldest + 1_000 - system.now());
    const wait = Math.max(ms, free);
    this.#waiting?.();
    this.#waiting = undefined;
    if (wait === 0) return this.#flush();
    this.#waiting = alarm(system, wait, () => {
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
    this.#commits = [...this.#commits.slice(1 - COMMITS_A_SECOND), this.#parts.system.now()];
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
    const frames = this.#unstored();
    if (frames.length === 0) return;
    this.#pendingBytes = 0;
    const bytes = [packFrames(frames)];
    const { log, parts: plain } = growLog(this.#stored, { frames: frames.length, bytes });
    let held: LogState | undefined = this.#stored;
    const { chunks } = this.#stored;
    const { content } = this.#parts;
    const parts = await Promise.all(
      plain.map((part, i) => content.seal(part, this.#chunkPlace(chunks + i))),
    );
    const rest = Math.max(0, parts.length - PARTS_A_COMMIT);
    // Nobody reads a part before the log says so, and a second try writes the same again.
    for (let at = 0; at < rest && this.#isAsKnown(held); at += PARTS_A_COMMIT) {
      const some = parts.slice(at, Math.min(at + PARTS_A_COMMIT, rest));
      held = await this.#write(some, { at: chunks + at, isWanted });
    }
    if (this.#isAsKnown(held)) {
      const last = { at: chunks + rest, log: this.#sealed(log), isWanted };
      held = await this.#write(parts.slice(rest), last);
    }
    if (held === undefined) return this.#parts.onLost();
    if (held.frames < log.frames) this.#behind = true;
    this.#stored = this.#isAsKnown(held)
      ? this.#stored
      : held.frames === log.frames
      ? log
      : this.#opened(held);
  }

  /** Stores encrypted parts, the first as number `at`, and the `log` with them; answers the stored log. */
  #write(
    parts: readonly Uint8Array[],
    { at, log, isWanted }: { at: number; log?: LogState; isWanted: () => boolean },
  ): Promise<LogState | undefined> {
    return this.#parts.committer.run<LogState | undefined>({
      keys: [this.key],
      decide: (draft) => {
        const run = draft.get<LiveRun>(this.key);
        if (!isWanted() || !this.#isAsKnown(run?.log)) return run?.log;
        this.#noteParts(draft, parts, at);
        if (log !== undefined) draft.set(this.key, { ...run, log });
        return log ?? run!.log;
      },
      // The settlement asks the store itself.
      isFinal: () => !isWanted(),
      bytes: 2_048 + sizeOfParts(parts) + (log?.tail.length ?? 0),
    });
  }

  /**
   * Whether the stored log is what memory has of it. It is further when a commit that was given up has
   * been made after all: followers may have read its parts, so they stay, and the log goes on after them.
   */
  #isAsKnown(held: LogState | undefined): boolean {
    return held?.frames === this.#stored.frames;
  }

  #furthest(held: LogState | undefined, known: LogState): LogState {
    return held !== undefined && held.frames > known.frames ? this.#opened(held) : known;
  }

  #sealed(log: LogState): LogState {
    return { ...log, tail: this.#parts.content.sealSync(log.tail, this.#tailPlace(log)) };
  }

  #opened(log: LogState): LogState {
    return { ...log, tail: this.#parts.content.openSync(log.tail, this.#tailPlace(log)) };
  }

  #tailPlace({ frames }: LogState) {
    const { tenant, runId } = this.#parts.facts;
    return contentPlaces.logTail(tenant, runId, frames);
  }

  #chunkPlace(n: number) {
    const { tenant, runId } = this.#parts.facts;
    return contentPlaces.logChunk(tenant, runId, n);
  }

  #noteParts(draft: Draft, parts: readonly Uint8Array[], at: number): void {
    const { facts: { tenant, runId }, keptMs } = this.#parts;
    parts.forEach((part, i) => {
      draft.note(keys.runChunk(tenant, runId, at + i), part, { expireIn: keptMs });
    });
  }

  #unstored(): Frame[] {
    return this.#parts.log.after(this.#stored.frames).map(({ frame }) => frame);
  }
}

/**
 * Ends a run's log, as part of settling it: it is kept by itself for a while. What else is settled with
 * the run finds it so.
 */
export function endLog(
  draft: Draft,
  { facts, log, state, now }: {
    facts: RunFacts;
    log: LogState;
    state: "done" | "interrupted";
    now: number;
  },
): void {
  const { tenant, runId } = facts;
  const key = keys.liveRun(tenant, runId);
  draft.set(key, { ...draft.get<LiveRun>(key), log });
  const head = headOf(facts, log, { state, exp: now + LOG_KEPT_MS });
  draft.note(keys.runHead(tenant, runId), head, { expireIn: 2 * LOG_KEPT_MS });
}
