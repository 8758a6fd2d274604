import {
  type ParameterRow,
  ROW_TYPES,
  toParameterRows,
  toParameterSchema,
} from "@/lib/dashboard/agents/tool_draft.ts";
import { FieldIssue, JsonInput } from "./LabelledInput.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** The parameters of a tool: as rows if the schema is simple, otherwise as JSON. */
export function ParameterRows(
  { id, schema, issue, onChange }: {
    id: string;
    schema: unknown;
    issue: string | undefined;
    onChange: (schema: unknown) => void;
  },
) {
  const rows = toParameterRows(schema);
  if (rows === undefined) {
    return (
      <JsonInput
        id={id}
        label={t("Parameters")}
        value={schema}
        help={t("A JSON Schema of type object.")}
        issue={issue}
        onCommit={onChange}
      />
    );
  }
  const change = (next: ParameterRow[]) => onChange(toParameterSchema(next));
  const set = (n: number, part: Partial<ParameterRow>) =>
    change(rows.map((row, at) => at === n ? { ...row, ...part } : row));
  return (
    <fieldset class="field">
      <legend>{t("Parameters")}</legend>
      <p class="help">
        {rich(
          "Values that the model fills in. Use {code} in the URL, query, headers or body to insert them, encoded as needed.",
          { code: <code>{"{{name}}"}</code> },
        )}
      </p>
      <FieldIssue id={id} issue={issue} />
      {rows.map((row, n) => (
        <Row
          key={n}
          id={`${id}-${n}`}
          row={row}
          onChange={(part) => set(n, part)}
          onRemove={() => change(rows.filter((_, at) => at !== n))}
        />
      ))}
      <div>
        <button
          type="button"
          class="button button-small"
          onClick={() => change([...rows, newRow(rows)])}
        >
          {t("Add parameter")}
        </button>
      </div>
    </fieldset>
  );
}

function newRow(rows: ParameterRow[]): ParameterRow {
  let n = rows.length + 1;
  while (rows.some(({ name }) => name === `argument_${n}`)) n++;
  return { name: `argument_${n}`, type: "string", description: "", required: true };
}

function Row(
  { id, row, onChange, onRemove }: {
    id: string;
    row: ParameterRow;
    onChange: (part: Partial<ParameterRow>) => void;
    onRemove: () => void;
  },
) {
  const of = (label: string) => t("{label} of {name}", { label, name: row.name });
  return (
    <div class="parameter">
      <input
        id={id}
        class="mono"
        aria-label={of(t("Name"))}
        value={row.name}
        autocomplete="off"
        spellcheck={false}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value.trim() })}
      />
      <select
        aria-label={of(t("Type"))}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
      >
        {ROW_TYPES.map((type) => (
          <option key={type} value={type} selected={type === row.type}>{type}</option>
        ))}
      </select>
      <input
        class="parameter-text"
        aria-label={of(t("Description"))}
        placeholder={t("Description for the model")}
        value={row.description}
        autocomplete="off"
        onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={row.required}
          onChange={({ currentTarget }) => onChange({ required: currentTarget.checked })}
        />
        <span>{t("Required")}</span>
      </label>
      <button
        type="button"
        class="button button-small"
        aria-label={t("Remove {name}", { name: row.name })}
        onClick={onRemove}
      >
        {t("Remove")}
      </button>
    </div>
  );
}
