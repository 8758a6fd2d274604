import { type ConversationName, keys } from "../keys/keys.ts";
import { FAILED_FINISHES } from "../runs/run_record.ts";
import type { ConversationSource } from "../../schemas/conversation_source.ts";
import type { Transaction } from "../tx/operation.ts";
import type { Conversation, RatedRun, RunRow } from "./conversation_record.ts";

/** Minimum costs that can be searched for, micro-USD. */
export const COST_THRESHOLDS = [50_000, 250_000, 1_000_000, 5_000_000] as const;
export type CostThreshold = typeof COST_THRESHOLDS[number];

/** The sources that are indexed: most conversations have another. */
const RARE_SOURCES: readonly string[] = ["playground", "share"];

/** The usual finish, which is not indexed. */
const DEFAULT_FINISH = "stop";
type Finish = RunRow["finishReason"];

/** What an index entry holds; a search by source skips the records of other sources. */
export type IndexValue = [id: string, agentId: string, page: string, source?: ConversationSource];

/**
 * Updates all indexes of a conversation. The tag index holds only what is rare: finishes other than `stop`,
 * high costs, ratings, and conversations of the playground and of shared pages. Most conversations have no
 * tag, so most chats write none, and a search for a tag reads only its entries.
 */
export function updateIndexes(
  tx: Transaction,
  { name, before, next, expireIn }: {
    name: ConversationName;
    /** The previous state, expired or not. */
    before: Conversation | undefined;
    next: Conversation;
    expireIn: number;
  },
): void {
  const value: IndexValue = [name.id, name.agentId, name.page];
  if (next.source !== undefined) value.push(next.source);
  const [oldTags, newTags] = [before, next].map((one) => one ? tagsOf(one) : new Map());
  for (const key of before ? timeIndexKeys(name, before) : []) tx.blindWrite(key, undefined);
  for (const key of timeIndexKeys(name, next)) tx.blindWrite(key, value, { expireIn });
  for (const [tag, at] of oldTags!) {
    if (newTags!.get(tag) !== at) tx.blindWrite(keys.conversationByTag(name, tag, at), undefined);
  }
  for (const [tag, at] of newTags!) {
    if (oldTags!.get(tag) === at) continue;
    tx.blindWrite(keys.conversationByTag(name, tag, at), value, { expireIn });
  }
}

/** The keys of all index entries of a conversation. */
export function indexKeys(name: ConversationName, head: Conversation): Deno.KvKey[] {
  const tagKeys = [...tagsOf(head)].map(([tag, at]) => keys.conversationByTag(name, tag, at));
  return [...timeIndexKeys(name, head), ...tagKeys];
}

function timeIndexKeys(
  name: ConversationName,
  { updatedAt: at, visitor }: Conversation,
): Deno.KvKey[] {
  const found = [keys.conversationByUpdated(name, at), keys.conversationByAgent(name, at)];
  if (visitor === undefined) return found;
  return [...found, keys.conversationByVisitor(name, { visitor: visitor.hash, at })];
}

/** When a run last ended with each rare finish, including this one; to be spread into the record. */
export function withLastFinish(
  known: Conversation["ended"],
  { finishReason, endedAt }: Pick<RunRow, "finishReason" | "endedAt">,
): Pick<Conversation, "ended"> {
  if (finishReason === DEFAULT_FINISH) return known === undefined ? {} : { ended: known };
  return { ended: { ...known, [finishReason]: Math.max(endedAt, known?.[finishReason] ?? 0) } };
}

/** Any finish that counts as an error. */
export const ANY_FAILURE = "failed";
export type FinishFilter = Finish | typeof ANY_FAILURE;

/** The finishes that a filter matches. */
export function finishesMatching(finish: FinishFilter): readonly Finish[] {
  return finish === ANY_FAILURE ? FAILED_FINISHES : [finish];
}

/** The tags of such runs; `undefined` for the finish that is not indexed. */
export function finishTags(finish: FinishFilter): readonly string[] | undefined {
  return finish === DEFAULT_FINISH ? undefined : finishesMatching(finish);
}

/** The tags of all conversations with at least this cost. */
export function costTags(minCost: CostThreshold): string[] {
  return COST_THRESHOLDS.filter((threshold) => threshold >= minCost).map(costTag);
}

/** The tags of all conversations from this source; `undefined` for those that are not indexed. */
export function sourceTags(source: ConversationSource): string[] | undefined {
  return RARE_SOURCES.includes(source) ? [sourceTag(source)] : undefined;
}

/** What visitors did with an answer. */
export const RATING_FILTERS = ["up", "down", "comment"] as const;
export type RatingFilter = typeof RATING_FILTERS[number];

/** True if the feedback on a run matches the filter. */
export function matchesRating(
  { rating, commented }: Pick<RatedRun, "rating" | "commented">,
  filter: RatingFilter,
): boolean {
  return filter === "comment" ? commented === true : rating === filter;
}

/** The tags of all conversations with an answer that was rated so. */
export function ratingTags(filter: RatingFilter): string[] {
  return [`rated_${filter}`];
}

function sourceTag(source: ConversationSource): string {
  return `source_${source}`;
}

function costTag(threshold: CostThreshold): string {
  return `cost_${threshold}`;
}

/** Each tag with the time that orders it: of the last such finish, or of the last update. */
function tagsOf({ ended, cost, source, rated, updatedAt }: Conversation): Map<string, number> {
  const tags = new Map<string, number>(Object.entries(ended ?? {}));
  const threshold = COST_THRESHOLDS.findLast((min) => cost >= min);
  if (threshold !== undefined) tags.set(costTag(threshold), updatedAt);
  for (const tag of (source && sourceTags(source)) ?? []) tags.set(tag, updatedAt);
  for (const filter of RATING_FILTERS) {
    if (!rated?.some((run) => matchesRating(run, filter))) continue;
    for (const tag of ratingTags(filter)) tags.set(tag, updatedAt);
  }
  return tags;
}
