import { type ConversationName, keys } from "../keys/keys.ts";
import type { Transaction } from "../tx/operation.ts";
import { matchesRating, type RatingFilter, updateIndexes } from "./conversation_index.ts";
import {
  type Conversation,
  type ConversationHead,
  isReadable,
  type RatedRun,
} from "./conversation_record.ts";

/** Rated runs that a conversation can be found by: its record is read with every message. */
const MAX_RATED_RUNS = 32;

/**
 * Notes in a conversation that a run of it is rated, or no longer; nothing if the conversation is gone. The
 * operation must include its key.
 */
export function rateInConversation(
  tx: Transaction,
  name: ConversationName,
  { runId, rated, exp, now }: {
    runId: string;
    rated: Pick<RatedRun, "rating" | "commented"> | undefined;
    /** The run's end of life. */
    exp: number;
    now: number;
  },
): void {
  const key = keys.conversation(name);
  const head = tx.get<ConversationHead>(key);
  if (!isReadable(head, now)) return;
  const { rated: before = [], ...rest } = head;
  const others = currentRatings(before, now).filter((one) => one.runId !== runId);
  const entry: RatedRun[] = rated === undefined ? [] : [{
    runId,
    rating: rated.rating,
    ...(rated.commented && { commented: true }),
    exp,
  }];
  const all = [...others, ...entry].slice(-MAX_RATED_RUNS);
  const next = all.length === 0 ? rest : { ...rest, rated: all };
  const expireIn = head.exp - now;
  updateIndexes(tx, { name, before: head, next, expireIn });
  tx.set(key, next, { expireIn });
}

/** True if the feedback on this run matches the filter. */
export function isRunRated(
  { rated }: Pick<Conversation, "rated">,
  { runId, filter, now }: { runId: string; filter: RatingFilter; now: number },
): boolean {
  return currentRatings(rated, now).some((run) =>
    run.runId === runId && matchesRating(run, filter)
  );
}

/** Without runs that have expired; a conversation may outlive them. */
export function currentRatings(rated: readonly RatedRun[] | undefined, now: number): RatedRun[] {
  return (rated ?? []).filter(({ exp }) => exp > now);
}
