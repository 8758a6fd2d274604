import { REALLY_DELETE } from "./conversations/conversations_ids.ts";
import type { ExtrasContext } from "./extras_context.ts";
import { Action } from "./Form.tsx";

/** Whether a button that deletes was pressed once. */
export interface Caution {
  isSure?: boolean;
}

export interface DeleteButtonProps {
  readonly context: ExtrasContext;
  readonly caution: Caution;
  readonly label: string;
  readonly onDelete: () => unknown;
}

/** Deletes with the second press. The button then disappears, so the sheet's first one gets the focus. */
export function DeleteButton({ context, caution, label, onDelete }: DeleteButtonProps) {
  const { ui: { conversation }, t } = context;
  const press = (event: Event) => {
    const { isSure } = caution;
    caution.isSure = !isSure;
    if (!isSure) return conversation.announceText(t(REALLY_DELETE));
    (event.currentTarget as Element).closest(".sheet")!.querySelector("button")!.focus();
    onDelete();
  };
  return <Action label={caution.isSure ? t(REALLY_DELETE) : label} onPress={press} />;
}
