import type { ComponentChildren } from "preact";
import type { AgentFormField, AgentFormValues } from "@/lib/http/agent_form.ts";
import type { AgentFormFaults } from "@/lib/http/agent_form_faults.ts";
import { FIELD_BOUNDS as B } from "@/lib/wire/limits.ts";
import { Field } from "./Field.tsx";
import { type ModelGroup, ModelSelect } from "./ModelSelect.tsx";
import { Notice } from "./Notice.tsx";

export interface AgentFormProps {
  action: string;
  values: AgentFormValues;
  faults: AgentFormFaults;
  models: ModelGroup[];
  submit: string;
  /** Viewers see everything and change nothing. */
  readOnly: boolean;
}

/** The agent editor. Works without scripts; what was typed survives a refusal. */
export function AgentForm(props: AgentFormProps) {
  const { faults, values } = props;
  const count = Object.keys(faults).filter((field) => field !== "form").length;
  return (
    <form method="post" action={props.action} class="agent-form">
      <input type="hidden" name="version" value={values.version} />
      {faults.form !== undefined && <Notice kind="fault">{faults.form}</Notice>}
      {count > 0 && (
        <Notice kind="fault">
          Nothing was saved. {count === 1 ? "One field needs" : `${count} fields need`}{" "}
          your attention.
        </Notice>
      )}
      <fieldset class="plain" disabled={props.readOnly}>
        <Basics {...props} />
        <Model {...props} />
        <Budget {...props} />
        <Tools {...props} />
        <Origins {...props} />
        {!props.readOnly && (
          <div class="form-actions sticky">
            <button class="button button-primary" type="submit">{props.submit}</button>
            <a class="button" href="/agents" aria-current="false">Cancel</a>
          </div>
        )}
      </fieldset>
    </form>
  );
}

function Basics({ values, faults }: AgentFormProps) {
  return (
    <section class="card stack">
      <Field name="name" label="Name" fault={faults.name}>
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.name}
            required
            maxLength={B.agentName}
            autocomplete="off"
          />
        )}
      </Field>
      <Field
        name="systemPrompt"
        label="System prompt"
        fault={faults.systemPrompt}
        help="Who the agent is and how it answers. Visitors do not see it."
      >
        {(attributes) => (
          <textarea {...attributes} rows={8} required maxLength={B.systemPrompt}>
            {values.systemPrompt}
          </textarea>
        )}
      </Field>
    </section>
  );
}

function Model({ values, faults, models }: AgentFormProps) {
  return (
    <section class="card stack">
      <h2>Model</h2>
      <Field name="model" label="Model" fault={faults.model}>
        {(attributes) => (
          <ModelSelect attributes={attributes} groups={models} value={values.model} />
        )}
      </Field>
      <Field
        name="fallback"
        label="Fallback"
        optional
        fault={faults.fallback}
        help="Answers when the first model's vendor does not."
      >
        {(attributes) => (
          <ModelSelect
            attributes={attributes}
            groups={models}
            value={values.fallback}
            blank="No fallback"
          />
        )}
      </Field>
      <div class="columns">
        <NumberField
          {...{ values, faults, name: "temperature", label: "Temperature", optional: true }}
          help="0 is steady, 2 is wild. Blank leaves it to the model."
          range={{ min: 0, max: 2, step: "any" }}
        />
        <NumberField
          {...{ values, faults, name: "maxOutputTokens", label: "Longest answer", optional: true }}
          help="In tokens. Blank is 4,096, or less where the model gives less."
          range={{ min: 1, max: B.maxOutputTokens, step: 1 }}
        />
      </div>
    </section>
  );
}

function Budget({ values, faults }: AgentFormProps) {
  return (
    <section class="card stack">
      <div>
        <h2>Budget per message</h2>
        <p class="help">An answer that reaches one of these ends there.</p>
      </div>
      <div class="columns">
        <NumberField
          {...{ values, faults, name: "maxCostUsd", label: "Cost, in USD" }}
          range={{ min: 0, max: B.maxCostUsd, step: "any" }}
        />
        <NumberField
          {...{ values, faults, name: "maxSteps", label: "Steps" }}
          help="Calls of the model, tools in between."
          range={{ min: 1, max: B.maxSteps, step: 1 }}
        />
        <NumberField
          {...{ values, faults, name: "wallClockSeconds", label: "Time, in seconds" }}
          range={{ min: B.minWallClockMs / 1000, max: B.maxWallClockMs / 1000, step: "any" }}
        />
      </div>
    </section>
  );
}

function Tools({ values, faults }: AgentFormProps) {
  return (
    <section class="card stack">
      <h2>Tools</h2>
      <Field
        name="tools"
        label="Tool definitions"
        fault={faults.tools}
        help={
          <>
            A JSON array of at most {B.tools} definitions of type <code>http</code> or{" "}
            <code>mcp</code>; <code>[]</code> for none.
          </>
        }
      >
        {(attributes) => (
          <textarea {...attributes} class="mono" rows={6} spellcheck={false}>
            {values.tools}
          </textarea>
        )}
      </Field>
      <LinesField
        {...{ values, faults, name: "allowedDomains", label: "Allowed domains" }}
        placeholder="api.example.com"
        help={
          <>
            Hosts that tools may call, one per line; <code>*.example.com</code> covers subdomains.
          </>
        }
      />
    </section>
  );
}

function Origins({ values, faults }: AgentFormProps) {
  return (
    <section class="card stack">
      <h2>Embedding</h2>
      <LinesField
        {...{ values, faults, name: "allowedOrigins", label: "Allowed origins", optional: true }}
        placeholder="https://www.example.com"
        help="Sites whose pages may show the widget, one per line. With none, no page may."
      />
    </section>
  );
}

interface ValueFieldProps {
  values: AgentFormValues;
  faults: AgentFormFaults;
  name: AgentFormField;
  label: string;
  optional?: boolean;
}

function NumberField(
  props: ValueFieldProps & {
    help?: string;
    range: { min: number; max: number; step: number | "any" };
  },
) {
  const { values, faults, name, range, ...field } = props;
  return (
    <Field {...field} name={name} fault={faults[name]}>
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

function LinesField(
  props: ValueFieldProps & { placeholder: string; help: ComponentChildren },
) {
  const { values, faults, name, placeholder, ...field } = props;
  return (
    <Field {...field} name={name} fault={faults[name]}>
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
