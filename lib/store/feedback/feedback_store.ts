import type { DayRange } from "../../schemas/day_range.ts";
import { dayOf } from "../../platform/utc_day.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { rateInConversation } from "../conversations/rated_runs.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import {
  keepsNothing,
  RUN_RETENTION_MS,
  type RunRecord,
  runRecordSchema,
} from "../runs/run_record.ts";
import type { GroupCommitter } from "../tx/group_committer.ts";
import type { Transaction } from "../tx/operation.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { type DayRatings, moveRating, readRatings } from "./feedback_counts.ts";
import {
  type FeedbackRecord,
  feedbackRecordSchema,
  type GivenFeedback,
  sealFeedback,
  type StoredFeedback,
  unsealFeedback,
} from "./feedback_record.ts";

export interface FeedbackStoreDeps {
  committer: GroupCommitter;
  content: ContentCipher;
  runtime: Pick<Runtime, "now">;
}

/**
 * Visitors' feedback on answers. One commit changes a run's feedback, the counts of its agent's day, and
 * what its conversation can be found by, so that they always agree, whichever processes write.
 */
export class FeedbackStore {
  readonly #kv: Deno.Kv;
  readonly #deps: FeedbackStoreDeps;

  constructor(kv: Deno.Kv, deps: FeedbackStoreDeps) {
    this.#kv = kv;
    this.#deps = deps;
  }

  /** The record of an ended run; `undefined` while it is active and once it is gone. */
  async findRun(tenant: string, runId: string): Promise<RunRecord | undefined> {
    const record = parseRecord(runRecordSchema, await this.#kv.get(keys.run(tenant, runId)));
    return record !== undefined && endOfLife(record) > this.#deps.runtime.now()
      ? record
      : undefined;
  }

  async get(tenant: string, runId: string): Promise<StoredFeedback | undefined> {
    const entry = await this.#kv.get(keys.feedback(tenant, runId));
    return await readFeedback(entry, {
      tenant,
      runId,
      now: this.#deps.runtime.now(),
      ...this.#deps,
    });
  }

  /**
   * Replaces the feedback on a run, or withdraws it; false if the run is gone. Of an agent that keeps
   * nothing, the rating is stored without comment and reasons.
   */
  async set(run: RunRecord, feedback: GivenFeedback | undefined): Promise<boolean> {
    const { tenant, runId, agentId } = run;
    const given = feedback && keepsNothing(run) ? { rating: feedback.rating } : feedback;
    const { committer, content, runtime } = this.#deps;
    const now = runtime.now();
    const exp = endOfLife(run);
    if (exp <= now) return false;
    const next = given && sealFeedback(given, { tenant, runId, content, ratedAt: now, exp });
    const name = conversationOf(run);
    const at = {
      run: keys.run(tenant, runId),
      feedback: keys.feedback(tenant, runId),
      count: keys.feedbackCount(tenant, agentId, dayOf(run.endedAt)),
    };
    return await committer.run({
      keys: [...Object.values(at), ...(name === undefined ? [] : [keys.conversation(name)])],
      estimatedBytes: 2_048 + (next?.sealed?.length ?? 0),
      decide: (tx) => {
        // Deleting a conversation deletes the records of its runs: nothing is written after that.
        if (tx.get(at.run) === undefined) return false;
        const before = currentOf(tx.get<FeedbackRecord>(at.feedback), now);
        if (before === undefined && next === undefined) return true;
        writeFeedback(tx, at.feedback, { before, next, now });
        moveRating(tx, at.count, {
          ...{ from: before?.rating, to: next?.rating, canary: run.canary },
        });
        if (name !== undefined) rateInConversation(tx, name, { runId, rated: next, exp, now });
        return true;
      },
    });
  }

  /** The days of `range` with rated answers of an agent, in order. */
  counts(tenant: string, agentId: string, range: DayRange): Promise<DayRatings[]> {
    return readRatings(this.#kv, { tenant, agentId, range });
  }
}

/** The feedback on each of the runs. */
export async function readFeedbackOf(
  kv: Deno.Kv,
  runIds: readonly string[],
  of: { tenant: string; content: ContentCipher; now: number },
): Promise<(StoredFeedback | undefined)[]> {
  const entries = await readMany(kv, runIds.map((runId) => keys.feedback(of.tenant, runId)));
  return await Promise.all(
    runIds.map((runId, n) => readFeedback(entries[n]!, { ...of, runId })),
  );
}

/** The feedback in an entry; `undefined` if there is none, or if it has expired. */
async function readFeedback(
  entry: Deno.KvEntryMaybe<unknown>,
  { now, ...of }: { tenant: string; runId: string; content: ContentCipher; now: number },
): Promise<StoredFeedback | undefined> {
  const record = currentOf(parseRecord(feedbackRecordSchema, entry), now);
  return record && await unsealFeedback(record, of);
}

function currentOf(record: FeedbackRecord | undefined, now: number): FeedbackRecord | undefined {
  return record !== undefined && record.exp > now ? record : undefined;
}

function writeFeedback(
  tx: Transaction,
  key: Deno.KvKey,
  { before, next, now }: {
    before: FeedbackRecord | undefined;
    next: FeedbackRecord | undefined;
    now: number;
  },
): void {
  if (next !== undefined) tx.set(key, next, { expireIn: next.exp - now });
  else if (before !== undefined) tx.delete(key);
}

/** Records of early releases do not say; they are stored at least this long. */
function endOfLife({ exp, endedAt }: RunRecord): number {
  return exp ?? endedAt + RUN_RETENTION_MS;
}

function conversationOf(
  { tenant, conversationId: id, agentId, page }: RunRecord,
): ConversationName | undefined {
  return page === undefined ? undefined : { tenant, id, agentId, page };
}
