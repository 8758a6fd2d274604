import type { ComponentChildren } from "preact";
import type { AgentFormField, AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import { Field } from "./Field.tsx";

export interface ValueFieldProps {
  values: AgentFormValues;
  issues: AgentFormIssues;
  name: AgentFormField;
  label: string;
  optional?: boolean;
}

/** A number field. */
export function NumberField(
  props: ValueFieldProps & {
    help?: string;
    range: { min: number; max: number; step: number | "any" };
  },
) {
  const { values, issues, name, range, ...field } = props;
  return (
    <Field {...field} name={name} issue={issues[name]}>
      {(attributes) => (
        <input
          type="number"
          inputMode="decimal"
          {...attributes}
          {...range}
          value={values[name]}
          required={!props.optional}
        />
      )}
    </Field>
  );
}

/** A field with one entry per line. */
export function LinesField(
  props: ValueFieldProps & { placeholder: string; help: ComponentChildren },
) {
  const { values, issues, name, placeholder, ...field } = props;
  return (
    <Field {...field} name={name} issue={issues[name]}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="mono"
          rows={3}
          placeholder={placeholder}
          spellcheck={false}
        >
          {values[name]}
        </textarea>
      )}
    </Field>
  );
}
