import type { Draft } from "../committer/operation.ts";
import { FAILED_FINISHES } from "../usage/run_record.ts";
import type { Conversation, RunRow } from "./conversation_record.ts";
import { type ConversationName, keys } from "./keys.ts";

/** What people look for by cost, micro-USD: at least so much. */
export const COST_STEPS = [50_000, 250_000, 1_000_000, 5_000_000] as const;
export type CostStep = typeof COST_STEPS[number];

/** The usual end: of a run that ends so nothing is indexed. */
const USUAL = "stop";
type Finish = RunRow["finishReason"];

/**
 * The index of what is rare: how runs ended, but for `stop`, and conversations that cost much. The many
 * that are neither have no entry, so a chat writes none, and who looks for the few reads only those.
 */
export function noteMarks(
  draft: Draft,
  { name, before, next, expireIn }: {
    name: ConversationName;
    /** The conversation as it was, expired or not. */
    before: Conversation | undefined;
    next: Conversation;
    expireIn: number;
  },
): void {
  const wanted = marksOf(next);
  const had = before === undefined ? new Map<string, number>() : marksOf(before);
  for (const [mark, at] of had) {
    if (wanted.get(mark) !== at) {
      draft.note(keys.conversationByMark(name, mark, at), undefined);
    }
  }
  const value = [name.id, name.agentId, name.page];
  for (const [mark, at] of wanted) {
    if (had.get(mark) === at) continue;
    draft.note(keys.conversationByMark(name, mark, at), value, { expireIn });
  }
}

/** All entries that the index has of a conversation. */
export function markKeys(name: ConversationName, head: Conversation): Deno.KvKey[] {
  return [...marksOf(head)].map(([mark, at]) => keys.conversationByMark(name, mark, at));
}

/** When a run of each rare kind last ended, this one included; to be spread into the record. */
export function endedWith(
  known: Conversation["ended"],
  { finishReason, endedAt }: Pick<RunRow, "finishReason" | "endedAt">,
): Pick<Conversation, "ended"> {
  if (finishReason === USUAL) return known === undefined ? {} : { ended: known };
  return { ended: { ...known, [finishReason]: Math.max(endedAt, known?.[finishReason] ?? 0) } };
}

/** How runs ended that are looked for: in one way, or in any that counts as an error. */
export const FAILED = "failed";
export type FinishFilter = Finish | typeof FAILED;

/** The ends that a filter lets through. */
export function finishesOf(finish: FinishFilter): readonly Finish[] {
  return finish === FAILED ? FAILED_FINISHES : [finish];
}

/** The marks under which such runs are found; nothing where every conversation would be. */
export function finishMarks(finish: FinishFilter): readonly string[] | undefined {
  return finish === USUAL ? undefined : finishesOf(finish);
}

/** The marks under which all are found that cost at least so much. */
export function costMarks(least: CostStep): string[] {
  return COST_STEPS.filter((step) => step >= least).map(costMark);
}

function costMark(step: CostStep): string {
  return `cost_${step}`;
}

/** Each with the time it is ordered by: when such a run ended, or when it was last added to. */
function marksOf({ ended, cost, updatedAt }: Conversation): Map<string, number> {
  const marks = new Map<string, number>(Object.entries(ended ?? {}));
  const step = COST_STEPS.findLast((least) => cost >= least);
  if (step !== undefined) marks.set(costMark(step), updatedAt);
  return marks;
}
