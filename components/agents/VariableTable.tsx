import { useContext } from "preact/hooks";
import {
  editableRows,
  variableControl,
  type VariableRow,
} from "@/lib/dashboard/agents/variable_rows.ts";
import { VISITOR_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { VARIABLE_TYPES, type VariableType } from "@/lib/schemas/visitor.ts";
import { FirstIssue } from "../PostForm.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** The variables that a session may set for its visitor, one per row. */
export function VariableTable({ value, issue }: { value: string; issue: string | undefined }) {
  const rows = editableRows(value);
  return (
    <details class="more" open={issue !== undefined || rows.some(({ name }) => name !== "")}>
      <summary>{t("Visitor variables")}</summary>
      <p class="help">
        {rich(
          "Values that your backend sets when it mints a session. {code} in the prompt or in a tool's request inserts one, {id} the visitor's ID. The model cannot change them. Clear a row to remove it; save to get more empty rows.",
          { code: <code>{"{{visitor.name}}"}</code>, id: <code>{"{{visitor.id}}"}</code> },
        )}
      </p>
      {issue !== undefined && <p class="field-error" id="variables-fault">{issue}</p>}
      <div
        class="table-scroll"
        tabIndex={0}
        role="region"
        aria-label={t("Visitor variables")}
      >
        <table id="variables">
          <thead>
            <tr>
              <th scope="col">{t("Name")}</th>
              <th scope="col">{t("Type")}</th>
              <th scope="col">{t("Default")}</th>
              <th scope="col">{t("Description")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              <Row
                key={n}
                {...{ row, n, isFaulty: issue !== undefined }}
              />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Row({ row, n, isFaulty }: { row: VariableRow; n: number; isFaulty: boolean }) {
  const isFirst = useContext(FirstIssue) === "variables" && n === 0;
  const label = (column: string) => t("{column}, variable {n}", { column, n: n + 1 });
  const described = isFaulty ? { "aria-describedby": "variables-fault" } : {};
  const control = { spellcheck: false, ...described };
  return (
    <tr>
      <td>
        <input
          {...control}
          class="mono"
          name={variableControl(n, "name")}
          aria-label={label(t("Name"))}
          value={row.name}
          maxLength={64}
          {...isFirst && { autofocus: true }}
        />
      </td>
      <td>
        <select name={variableControl(n, "type")} aria-label={label(t("Type"))}>
          {VARIABLE_TYPES.map((type) => (
            <option key={type} value={type} selected={type === row.type}>{typeLabel(type)}</option>
          ))}
        </select>
      </td>
      <td>
        <textarea
          {...control}
          name={variableControl(n, "default")}
          aria-label={label(t("Default"))}
          rows={1}
          maxLength={B.defaultLength}
        >
          {row.default}
        </textarea>
      </td>
      <td>
        <textarea
          {...control}
          name={variableControl(n, "description")}
          aria-label={label(t("Description"))}
          rows={1}
          maxLength={B.descriptionLength}
        >
          {row.description}
        </textarea>
      </td>
    </tr>
  );
}

function typeLabel(type: VariableType): string {
  switch (type) {
    case "string":
      return t("Text");
    case "number":
      return t("Number");
    case "boolean":
      return t("True or false");
    default:
      return type satisfies never;
  }
}
