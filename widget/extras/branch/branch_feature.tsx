/** "Ask again" below the last answer, and "Edit" below the visitor's messages. */
import type { TranscriptMessage } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { BELOW, type Slot } from "../slot.ts";
import { createFocus } from "../focus_once.ts";
import { AGAIN, PENCIL } from "../icon_paths.ts";
import { IconButton } from "../IconButton.tsx";
import { ASK_AGAIN, EDIT, NEW_ANSWER } from "./branch_ids.ts";
import { EditForm } from "./EditForm.tsx";

export function branchFeature({ ui, t, changed, answerActions }: ExtrasContext): Slot {
  const { conversation, handle } = ui;
  /** The message whose text is being changed. */
  let editing: TranscriptMessage | undefined;
  /** The message whose button gets the focus when it is drawn. */
  let left: TranscriptMessage | undefined;
  const focus = createFocus();
  const canBranch = () => {
    const { busy, uploading, handoff } = conversation.state;
    return !busy && !uploading && !handoff;
  };
  const branch = (question: TranscriptMessage, text?: string) => {
    if (!canBranch() || !conversation.branch(question, text)) return;
    editing = undefined;
    conversation.announceText(t(NEW_ANSWER));
  };
  const edit = (question: TranscriptMessage | undefined) => {
    left = editing;
    editing = question;
    focus.next = true;
    changed(false);
  };
  handle.on("error", () => {
    const { failure, turns } = conversation.state;
    const question = turns.at(-1);
    // A service that does not know the replaced run still answers: the question has no run yet.
    if (question?.replaces && failure!.code === "schema_validation_failed") branch(question);
  });
  answerActions.push((answer) => {
    const { turns, failure } = conversation.state;
    const [question, last] = turns.slice(-2);
    return answer === last && !failure && canBranch() && (
      <IconButton
        label={t(ASK_AGAIN)}
        icon={AGAIN}
        onPress={() => branch(question!)}
      />
    );
  });
  return (place, value) => {
    const question = value as TranscriptMessage;
    if (place !== BELOW || question.role !== "user") return;
    if (question === editing) {
      return (
        <EditForm
          {...{ ui, t, question, focus }}
          onSave={(text) => branch(question, text)}
          onCancel={() => edit(undefined)}
        />
      );
    }
    return canBranch() && (
      <span class="edit-button">
        <IconButton
          label={t(EDIT)}
          icon={PENCIL}
          focus={question === left ? focus.ref : undefined}
          onPress={() => edit(question)}
        />
      </span>
    );
  };
}
