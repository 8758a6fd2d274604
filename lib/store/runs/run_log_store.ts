import type { Frame } from "../../schemas/frames.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import type { Transaction } from "../tx/operation.ts";
import { parseRecord, updateRecord } from "../values/record.ts";
import type { ActiveRun } from "./active_run.ts";
import { FrameReader, headKeys, parseLogHead, toRunLogHead } from "./frame_reader.ts";
import {
  closedLog,
  LOG_TTL_MS,
  logHeadTtl,
  type LogState,
  type RunLogHead,
  runLogHeadSchema,
  withReportedEnd,
} from "./run_log_head.ts";
import { type RunFacts, type RunRecord, runRecordSchema } from "./run_record.ts";

/** `isWhole`: frames can be added, because the chunks end with the last frame, and there is no tail. */
export type StoredLog = { log: LogState; frames: Frame[]; isWhole: boolean };

/** Reads the stored logs of all processes' runs. */
export class RunLogStore {
  #kv: Deno.Kv;
  #content: ContentCipher;

  constructor(kv: Deno.Kv, content: ContentCipher) {
    this.#kv = kv;
    this.#content = content;
  }

  async head(tenant: string, runId: string): Promise<RunLogHead | undefined> {
    return parseLogHead(await this.#kv.getMany<unknown[]>(headKeys(tenant, runId)));
  }

  /** True if any frame of the run is stored. */
  async hasFrames({ tenant, runId, frames }: RunLogHead): Promise<boolean> {
    if (frames > 0) return true;
    return (await this.#kv.get(keys.runLogChunk(tenant, runId, 0))).versionstamp !== null;
  }

  /** The record of a run that has ended. */
  async record(tenant: string, runId: string): Promise<RunRecord | undefined> {
    return parseRecord(runRecordSchema, await this.#kv.get(keys.run(tenant, runId)));
  }

  /** Stores at `now` the frame number `n` that the `done` of an interrupted run had for a follower. */
  async recordReportedEnd(
    { tenant, runId, n }: { tenant: string; runId: string; n: number },
    now: number,
  ): Promise<void> {
    const key = keys.runLogHead(tenant, runId);
    const location = { key, schema: runLogHeadSchema, what: "run log" };
    await updateRecord(this.#kv, location, (head, save) => {
      if (head?.state !== "interrupted") return;
      const next = withReportedEnd(head, n);
      const expireIn = Math.max(1, (next.exp ?? now + LOG_TTL_MS) - now);
      if (next !== head) save(next, { expireIn });
    });
  }

  /** The whole log of a run, closed after the stored frames; `undefined` if it was deleted. */
  async readAll(
    { tenant, runId }: { tenant: string; runId: string },
  ): Promise<StoredLog | undefined> {
    const reader = this.reader(tenant, runId);
    const update = await reader.poll();
    if (update === undefined) return undefined;
    const { head: { owner, origin, open, chunks, frames: count, tail }, frames } = update;
    const log = { owner, ...(origin !== undefined && { origin }), chunks, frames: count, tail };
    if (open === undefined) return { log, frames, isWhole: false };
    const closed = closedLog(log, { chunks: reader.next, frames: frames.length });
    return { log: closed, frames, isWhole: !reader.isInFrame };
  }

  /** Reads a run's frames from the start. */
  reader(tenant: string, runId: string): FrameReader {
    return new FrameReader(this.#kv, { tenant, runId, content: this.#content });
  }

  /** Resolves when the head changes or chunk `next` is stored; rejects if the store stops watching. */
  async waitForChange(
    { tenant, runId, next }: { tenant: string; runId: string; next: number },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const watched = [...headKeys(tenant, runId), keys.runLogChunk(tenant, runId, next)];
    const reader = this.#kv.watch(watched).getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // The first event is the current state, the second a change.
      for (let events = 0; events < 2; events++) {
        if ((await reader.read()).done) throw new Error("the store stopped watching");
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      cancel();
    }
  }
}

/**
 * Ends a run's log when the run is settled, and keeps the log after the run's record is gone. Later
 * steps of the same settlement read the ended log from the transaction.
 */
export function endRunLog(tx: Transaction, { facts, log, state, now }: {
  facts: RunFacts;
  log: LogState;
  state: "done" | "interrupted";
  now: number;
}): void {
  const { tenant, runId } = facts;
  const key = keys.activeRun(tenant, runId);
  tx.set(key, { ...tx.get<ActiveRun>(key), log });
  const head = toRunLogHead(facts, log, { state, exp: now + LOG_TTL_MS });
  tx.blindWrite(keys.runLogHead(tenant, runId), head, { expireIn: logHeadTtl(facts) });
}
