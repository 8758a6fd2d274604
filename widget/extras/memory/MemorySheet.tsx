import { SAVE } from "../branch/branch_ids.ts";
import { type Caution, DeleteButton } from "../DeleteButton.tsx";
import { EditableRow, type ListView } from "../EditableRow.tsx";
import type { ExtrasContext } from "../extras_context.ts";
import type { OwnList } from "../own_list.ts";
import { DELETE_ALL, NOTHING_YET } from "./memory_ids.ts";

export interface Fact {
  readonly id: string;
  readonly text: string;
}

export interface MemorySheetProps {
  readonly context: ExtrasContext;
  readonly memory: OwnList<Fact>;
  readonly view: ListView;
  /** For the button that deletes everything. */
  readonly caution: Caution;
}

/** The service's limit. */
const MAX_FACT_LENGTH = 300;

/** What the agent remembers, which its visitor can change and delete. */
export function MemorySheet({ context, memory, view, caution }: MemorySheetProps) {
  const { ui: { locale }, t } = context;
  const { found: facts, problem, change } = memory;
  const label = t(DELETE_ALL);
  return (
    <div>
      {problem ? <p role="alert">{locale.t(problem)}</p> : !facts && <i class="dot" />}
      <div role="list">
        {facts?.map(({ id, text }) => (
          <EditableRow
            key={id}
            {...{ context, view, id, text, maxLength: MAX_FACT_LENGTH, label: t(SAVE) }}
            onSave={(text) => change(`/${id}`, { method: "PATCH", body: { text } })}
            onDelete={() => change(`/${id}`, { method: "DELETE" })}
          >
            <div class="item" dir="auto">{text}</div>
          </EditableRow>
        ))}
      </div>
      {facts && (facts[0]
        ? (
          <DeleteButton
            {...{ context, caution, label }}
            onDelete={() => change("", { method: "DELETE" })}
          />
        )
        : <p>{t(NOTHING_YET)}</p>)}
    </div>
  );
}
