import { MAX_MESSAGE_LENGTH } from "../../history.ts";
import { isSendKey } from "../../send_key.ts";
import type { TranscriptMessage } from "../../state.ts";
import type { FocusOnce } from "../focus_once.ts";
import { CANCEL, EDIT, SAVE } from "./branch_ids.ts";

export interface EditFormProps {
  readonly t: (id: number) => string;
  readonly question: TranscriptMessage;
  readonly focus: FocusOnce;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** The text of a message in its place, in a field. */
export function EditForm({ t, question, focus, onSave, onCancel }: EditFormProps) {
  const save = (form: HTMLElement, event: Event) => {
    event.preventDefault();
    const { value } = form.querySelector("textarea")!;
    if (value.trim()) onSave(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.key !== "Escape") return;
    // The panel stays open.
    event.stopPropagation();
    onCancel();
  };
  return (
    <form
      class="edit"
      onKeyDown={onKeyDown}
      onSubmit={(event) => save(event.currentTarget, event)}
    >
      <textarea
        ref={focus.ref}
        rows={3}
        maxLength={MAX_MESSAGE_LENGTH}
        aria-label={t(EDIT)}
        dir="auto"
        enterkeyhint="send"
        defaultValue={question.text}
        onKeyDown={(event) => isSendKey(event) && save(event.currentTarget.form!, event)}
      />
      <button type="button" class="retry" onClick={onCancel}>{t(CANCEL)}</button>
      <button type="submit" class="retry">{t(SAVE)}</button>
    </form>
  );
}
