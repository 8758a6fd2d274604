import type { ComponentChildren } from "preact";
import { DELETE, EDIT } from "./conversations/conversations_ids.ts";
import { type Caution, DeleteButton } from "./DeleteButton.tsx";
import type { ExtrasContext } from "./extras_context.ts";
import { Action, Form, textIn } from "./Form.tsx";
import { PENCIL } from "./icon_paths.ts";
import { IconButton } from "./IconButton.tsx";

/** What the visitor does in a list. */
export interface ListView extends Caution {
  /** The row whose form is open. */
  editing?: string | undefined;
}

export interface EditableRowProps {
  readonly context: ExtrasContext;
  readonly view: ListView;
  readonly id: string;
  /** What can be changed. */
  readonly text: string;
  readonly maxLength: number;
  /** Of the button that saves. */
  readonly label: string;
  /** False if it could not be saved: the form stays. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly onDelete: () => unknown;
  /** What the row shows beside the button that opens its form. */
  readonly children: ComponentChildren;
}

/** An entry of a list, and below it the form that changes or deletes it. */
export function EditableRow(
  { context, view, id, text, maxLength, label, onSave, onDelete, children }: EditableRowProps,
) {
  const { t, changed } = context;
  const isEditing = view.editing === id;
  const edit = (editing?: string) => {
    Object.assign(view, { editing, isSure: false });
    changed(false);
  };
  const save = async (form: HTMLFormElement) => {
    const written = textIn(form).replace(/\s+/g, " ");
    // The form disappears, so move the focus to its button instead of losing it to the page.
    (form.previousElementSibling as HTMLElement).focus();
    if (!written || await onSave(written)) edit();
  };
  return (
    <div class="thread" role="listitem">
      {children}
      <IconButton
        label={`${t(EDIT)}: ${text}`}
        icon={PENCIL}
        look="tool"
        isExpanded={isEditing}
        onPress={() => edit(isEditing ? undefined : id)}
      />
      {isEditing && (
        <Form onSave={save}>
          <input aria-label={label} defaultValue={text} maxLength={maxLength} dir="auto" />
          <Action label={label} />
          <DeleteButton {...{ context, caution: view, label: t(DELETE), onDelete }} />
        </Form>
      )}
    </div>
  );
}
