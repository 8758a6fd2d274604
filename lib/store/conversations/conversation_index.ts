import type { Transaction } from "../tx/operation.ts";
import { FAILED_FINISHES } from "../runs/run_record.ts";
import type { Conversation, RunRow } from "./conversation_record.ts";
import { type ConversationName, keys } from "../keys/keys.ts";

/** What people look for by cost, micro-USD: at least so much. */
export const COST_THRESHOLDS = [50_000, 250_000, 1_000_000, 5_000_000] as const;
export type CostThreshold = typeof COST_THRESHOLDS[number];

/** The usual end: of a run that ends so nothing is indexed. */
const DEFAULT_FINISH = "stop";
type Finish = RunRow["finishReason"];

/**
 * The index of what is rare: how runs ended, but for `stop`, and conversations that cost much. The many
 * that are neither have no entry, so a chat writes none, and who looks for the few reads only those.
 */
export function updateTagIndex(
  draft: Transaction,
  { name, before, next, expireIn }: {
    name: ConversationName;
    /** The conversation as it was, expired or not. */
    before: Conversation | undefined;
    next: Conversation;
    expireIn: number;
  },
): void {
  const wanted = tagsOf(next);
  const had = before === undefined ? new Map<string, number>() : tagsOf(before);
  for (const [mark, at] of had) {
    if (wanted.get(mark) !== at) {
      draft.blindWrite(keys.conversationByTag(name, mark, at), undefined);
    }
  }
  const value = [name.id, name.agentId, name.page];
  for (const [mark, at] of wanted) {
    if (had.get(mark) === at) continue;
    draft.blindWrite(keys.conversationByTag(name, mark, at), value, { expireIn });
  }
}

/** All entries that the index has of a conversation. */
export function tagIndexKeys(name: ConversationName, head: Conversation): Deno.KvKey[] {
  return [...tagsOf(head)].map(([mark, at]) => keys.conversationByTag(name, mark, at));
}

/** When a run of each rare kind last ended, this one included; to be spread into the record. */
export function withLastFinish(
  known: Conversation["ended"],
  { finishReason, endedAt }: Pick<RunRow, "finishReason" | "endedAt">,
): Pick<Conversation, "ended"> {
  if (finishReason === DEFAULT_FINISH) return known === undefined ? {} : { ended: known };
  return { ended: { ...known, [finishReason]: Math.max(endedAt, known?.[finishReason] ?? 0) } };
}

/** How runs ended that are looked for: in one way, or in any that counts as an error. */
export const ANY_FAILURE = "failed";
export type FinishFilter = Finish | typeof ANY_FAILURE;

/** The ends that a filter lets through. */
export function finishesMatching(finish: FinishFilter): readonly Finish[] {
  return finish === ANY_FAILURE ? FAILED_FINISHES : [finish];
}

/** The marks under which such runs are found; nothing where every conversation would be. */
export function finishTags(finish: FinishFilter): readonly string[] | undefined {
  return finish === DEFAULT_FINISH ? undefined : finishesMatching(finish);
}

/** The marks under which all are found that cost at least so much. */
export function costTags(least: CostThreshold): string[] {
  return COST_THRESHOLDS.filter((step) => step >= least).map(costTag);
}

function costTag(step: CostThreshold): string {
  return `cost_${step}`;
}

/** Each with the time it is ordered by: when such a run ended, or when it was last added to. */
function tagsOf({ ended, cost, updatedAt }: Conversation): Map<string, number> {
  const marks = new Map<string, number>(Object.entries(ended ?? {}));
  const step = COST_THRESHOLDS.findLast((least) => cost >= least);
  if (step !== undefined) marks.set(costTag(step), updatedAt);
  return marks;
}
