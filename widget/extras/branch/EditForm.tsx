import { MAX_MESSAGE_LENGTH } from "../../history.ts";
import type { TranscriptMessage } from "../../state.ts";
import type { Ui } from "../../ui.ts";
import type { FocusOnce } from "../focus_once.ts";
import { Action, Form, textIn } from "../Form.tsx";
import { CANCEL, EDIT, SAVE } from "./branch_ids.ts";

export interface EditFormProps {
  readonly ui: Pick<Ui, "lent">;
  readonly t: (id: number) => string;
  readonly question: TranscriptMessage;
  readonly focus: FocusOnce;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** The text of a message in its place, in a field. */
export function EditForm({ ui, t, question, focus, onSave, onCancel }: EditFormProps) {
  const save = (form: HTMLFormElement) => textIn(form) && onSave(textIn(form));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.key !== "Escape") return;
    // The panel stays open.
    event.stopPropagation();
    onCancel();
  };
  return (
    <Form look="edit" onKeyDown={onKeyDown} onSave={save}>
      <textarea
        ref={focus.ref}
        rows={3}
        maxLength={MAX_MESSAGE_LENGTH}
        aria-label={t(EDIT)}
        dir="auto"
        enterkeyhint="send"
        defaultValue={question.text}
        onKeyDown={(event) => {
          if (!ui.lent.isSendKey(event)) return;
          event.preventDefault();
          save(event.currentTarget.form!);
        }}
      />
      <Action label={t(CANCEL)} onPress={onCancel} />
      <Action label={t(SAVE)} />
    </Form>
  );
}
