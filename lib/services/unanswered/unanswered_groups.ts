import { GAP_REASONS, type GapReason } from "../../schemas/gap_reasons.ts";
import type { UnansweredGroup, UnansweredState } from "../../schemas/unanswered.ts";
import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { UnansweredMark } from "../../store/unanswered/asked_again_record.ts";
import type { UnansweredQuestion } from "../../store/unanswered/unanswered_store.ts";
import { QuestionGrouper, typicalQuestion } from "./group_questions.ts";
import { mergeSimilar } from "./merge_similar.ts";
import type { QuestionMeanings } from "./question_meanings.ts";

/** The most frequent groups of an agent, which are compared by meaning. */
const MAX_MERGED = 192;
/** The questions that a typical one is chosen from. */
const MAX_COMPARED = 50;

/** A group with its questions, newest first, and what was done about it. */
export interface QuestionGroup {
  agentId: string;
  questions: UnansweredQuestion[];
  /** With the run that it was made for. */
  mark: { runId: string; mark: UnansweredMark } | undefined;
  state: UnansweredState;
}

/**
 * The groups of each agent, the most frequent first: by words, and the most frequent of those by meaning if
 * there are `meanings`.
 */
export async function toGroups(
  questions: readonly UnansweredQuestion[],
  { tenant, marks, meanings, grouper = new QuestionGrouper() }: {
    tenant: string;
    marks: ReadonlyMap<string, UnansweredMark>;
    /** Remembers groups by words. */
    grouper?: QuestionGrouper;
    meanings: Pick<QuestionMeanings, "vectorsOf"> | undefined;
  },
): Promise<QuestionGroup[]> {
  const groups: QuestionGroup[] = [];
  for (const [agentId, some] of Map.groupBy(questions, (one) => one.agentId)) {
    const byWords = await grouper.group(some.toSorted(byTime));
    for (const members of await mergeByMeaning(byWords, { tenant, meanings })) {
      const sorted = members.toSorted(byTime);
      const mark = latestMark(sorted, marks);
      groups.push({ agentId, questions: sorted, mark, state: stateOf(sorted, mark?.mark) });
    }
  }
  return groups.sort(byFrequency);
}

async function mergeByMeaning(
  groups: UnansweredQuestion[][],
  { tenant, meanings }: {
    tenant: string;
    meanings: Pick<QuestionMeanings, "vectorsOf"> | undefined;
  },
): Promise<UnansweredQuestion[][]> {
  if (meanings === undefined) return groups;
  const sorted = groups.toSorted((a, b) => b.length - a.length || byTime(a[0]!, b[0]!));
  const frequent = sorted.filter(([one]) => one!.question !== "").slice(0, MAX_MERGED);
  const vectors = await meanings.vectorsOf(tenant, await forEachGroup(frequent, typicalOf));
  if (vectors === undefined) return groups;
  const merged = mergeSimilar(vectors).map((positions) => positions.flatMap((n) => frequent[n]!));
  return [...merged, ...sorted.filter((group) => !frequent.includes(group))];
}

function typicalOf(questions: readonly UnansweredQuestion[]): Promise<string> {
  return typicalQuestion(questions.slice(0, MAX_COMPARED).map(({ question }) => question));
}

/** One after the other, because each takes milliseconds; other tasks run in between. */
async function forEachGroup<T, R>(
  groups: readonly T[],
  work: (group: T) => Promise<R>,
): Promise<R[]> {
  const yielder = new EventLoopYielder();
  const results: R[] = [];
  for (const group of groups) {
    if (yielder.isDue) await yielder.yield();
    results.push(await work(group));
  }
  return results;
}

export function describeGroups(groups: readonly QuestionGroup[]): Promise<UnansweredGroup[]> {
  return forEachGroup(groups, describeGroup);
}

/** The most frequent first; of equal ones, the one with the latest question. */
export function byFrequency({ questions: a }: QuestionGroup, { questions: b }: QuestionGroup) {
  return b.length - a.length || byTime(a[0]!, b[0]!);
}

export async function describeGroup(
  { agentId, questions, mark, state }: QuestionGroup,
): Promise<UnansweredGroup> {
  const { knowledgeBaseId, documentId } = mark?.mark ?? {};
  const countOf = (reason: GapReason) =>
    questions.filter(({ reasons }) => reasons.includes(reason)).length;
  return {
    id: questions[0]!.runId,
    agentId,
    question: await typicalOf(questions),
    count: questions.length,
    reasons: Object.fromEntries(GAP_REASONS.map((reason) => [reason, countOf(reason)])) as Record<
      GapReason,
      number
    >,
    firstAt: isoTime(questions.at(-1)!.at),
    lastAt: isoTime(questions[0]!.at),
    state,
    ...knowledgeBaseId !== undefined && { knowledgeBaseId },
    ...documentId !== undefined && { documentId },
  };
}

function stateOf(
  [latest]: readonly UnansweredQuestion[],
  mark: UnansweredMark | undefined,
): UnansweredState {
  if (mark === undefined) return "open";
  // A new question was not known when the group was dismissed, or the answer did not help it.
  return mark.state !== "written" && latest!.at > mark.at ? "open" : mark.state;
}

function latestMark(
  questions: readonly UnansweredQuestion[],
  marks: ReadonlyMap<string, UnansweredMark>,
): QuestionGroup["mark"] {
  let latest: QuestionGroup["mark"];
  for (const { runId } of questions) {
    const mark = marks.get(runId);
    if (mark !== undefined && !(latest && latest.mark.at >= mark.at)) latest = { runId, mark };
  }
  return latest;
}

/** Newest first. */
function byTime(a: UnansweredQuestion, b: UnansweredQuestion): number {
  return b.at - a.at || (a.runId < b.runId ? -1 : 1);
}
