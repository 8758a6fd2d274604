import {
  type ParameterRow,
  ROW_TYPES,
  toParameterRows,
  toParameterSchema,
} from "@/lib/dashboard/agents/tool_draft.ts";
import { JsonInput } from "./LabelledInput.tsx";

/** What the model has to give for a call: rows where the schema is simple, its JSON where not. */
export function ParameterRows(
  { id, schema, onChange }: {
    id: string;
    schema: unknown;
    onChange: (schema: unknown) => void;
  },
) {
  const rows = toParameterRows(schema);
  if (rows === undefined) {
    return (
      <JsonInput
        id={id}
        label="Arguments"
        value={schema}
        help="A JSON Schema of an object."
        onCommit={onChange}
      />
    );
  }
  const change = (next: ParameterRow[]) => onChange(toParameterSchema(next));
  const set = (n: number, part: Partial<ParameterRow>) =>
    change(rows.map((row, at) => at === n ? { ...row, ...part } : row));
  return (
    <fieldset class="field">
      <legend>Arguments</legend>
      <p class="help">
        What the model fills in; <code>{"{{name}}"}</code>{" "}
        puts it into the address, query, headers or body, encoded for its place.
      </p>
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
          Add argument
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
  const of = (label: string) => `${label} of ${row.name}`;
  return (
    <div class="parameter">
      <input
        id={id}
        class="mono"
        aria-label={of("Name")}
        value={row.name}
        autocomplete="off"
        spellcheck={false}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value.trim() })}
      />
      <select
        aria-label={of("Type")}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
      >
        {ROW_TYPES.map((type) => (
          <option key={type} value={type} selected={type === row.type}>{type}</option>
        ))}
      </select>
      <input
        class="parameter-text"
        aria-label={of("Description")}
        placeholder="What it means"
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
        <span>Required</span>
      </label>
      <button
        type="button"
        class="button button-small"
        aria-label={`Remove ${row.name}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </div>
  );
}
