import type { ConversationRun } from "../../schemas/conversation.ts";
import { msg } from "../texts/translate.ts";

/** How a run replaces another; `unknown` if that one is not at hand. */
export type Replacement = "again" | "edited" | "unknown";

export const REPLACEMENT_LABELS: Readonly<Record<Replacement, string>> = {
  again: msg("Asked again"),
  edited: msg("Question edited"),
  unknown: msg("Replaces an earlier message"),
};

/** What a person sees of a run's question. */
interface Question {
  replaces?: string | undefined;
  text: string;
  /** The ids of its attachments; `undefined` if they are not known. */
  attachments: string | undefined;
}

/** The question of a stored run. */
export function questionOf({ replaces, messages }: ConversationRun): Question {
  const asked = messages.find(({ claimed }) => !claimed);
  const attachments = (asked?.attachments ?? []).map(({ id }) => id).join(" ");
  return { replaces, text: asked?.content ?? "", attachments };
}

/** How a question replaces one of `runs`; `undefined` if it replaces none. */
export function replacementOf(
  { replaces, text, attachments }: Question,
  runs: readonly ConversationRun[],
): Replacement | undefined {
  if (replaces === undefined) return undefined;
  const replaced = runs.find(({ runId }) => runId === replaces);
  if (replaced === undefined || replaced.unreadable) return "unknown";
  const before = questionOf(replaced);
  const isSame = before.text.trim() === text.trim() &&
    (attachments === undefined || attachments === before.attachments);
  return isSame ? "again" : "edited";
}

/** The heading of a run that is not on the current path: only its answer was replaced, or more. */
export function supersededLabel(
  { runId }: Pick<ConversationRun, "runId">,
  runs: readonly ConversationRun[],
): string {
  const isAskedAgain = runs.some((run) =>
    run.replaces === runId && replacementOf(questionOf(run), runs) === "again"
  );
  return isAskedAgain ? msg("Replaced answer") : msg("Earlier version");
}
