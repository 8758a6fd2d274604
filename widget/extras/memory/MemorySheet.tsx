import { REALLY_DELETE } from "../conversations/conversations_ids.ts";
import { SAVE } from "../branch/branch_ids.ts";
import { EditableRow, type ListView } from "../EditableRow.tsx";
import type { ExtrasContext } from "../extras_context.ts";
import { Action } from "../Form.tsx";
import type { OwnList } from "../own_list.ts";
import { DELETE_ALL, NOTHING_YET } from "./memory_ids.ts";

export interface Fact {
  readonly id: string;
  readonly text: string;
}

export interface MemorySheetProps {
  readonly context: ExtrasContext;
  readonly memory: OwnList<Fact>;
  /** `editing` is "" once everything is to be deleted. */
  readonly view: ListView;
}

/** The service's limit. */
const MAX_FACT_LENGTH = 300;

/** What the agent remembers, which its visitor can change and delete. */
export function MemorySheet({ context, memory, view }: MemorySheetProps) {
  const { ui: { conversation, locale }, t } = context;
  const { found: facts, problem } = memory;
  const isSure = view.editing === "";
  const deleteAll = (event: Event) => {
    const sheet = (event.currentTarget as Element).closest(".sheet")!;
    view.editing = isSure ? undefined : "";
    if (!isSure) return conversation.announceText(t(REALLY_DELETE));
    // The button disappears.
    sheet.querySelector("button")!.focus();
    memory.change("", { method: "DELETE" });
  };
  return (
    <div>
      {problem ? <p role="alert">{locale.t(problem)}</p> : !facts && <i class="dot" />}
      <div role="list">
        {facts?.map(({ id, text }) => (
          <EditableRow
            key={id}
            {...{ context, view, id, text, maxLength: MAX_FACT_LENGTH, label: t(SAVE) }}
            onSave={(text) => memory.change(`/${id}`, { method: "PATCH", body: { text } })}
            onDelete={() => memory.change(`/${id}`, { method: "DELETE" })}
          >
            <div class="item" dir="auto">{text}</div>
          </EditableRow>
        ))}
      </div>
      {facts && (facts[0]
        ? <Action label={t(isSure ? REALLY_DELETE : DELETE_ALL)} onPress={deleteAll} />
        : <p>{t(NOTHING_YET)}</p>)}
    </div>
  );
}
