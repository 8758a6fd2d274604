import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { FIELD_LABELS } from "@/lib/dashboard/agents/agent_field_labels.ts";
import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { FIELD_BOUNDS as B } from "@/lib/schemas/limits.ts";
import UnsavedChangesGuard from "@/islands/UnsavedChangesGuard.tsx";
import ToolEditor from "@/islands/ToolEditor.tsx";
import { Field } from "./Field.tsx";
import { ModelSelect } from "./ModelSelect.tsx";
import { PostForm } from "./PostForm.tsx";
import { LinesField, NumberField } from "./ValueFields.tsx";

export interface AgentFormProps {
  /** Id of the signed-in user. */
  user: string;
  action: string;
  values: AgentFormValues;
  issues: AgentFormIssues;
  choices: EditorChoices;
  submit: string;
  /** The form was just saved, so its draft in the browser is obsolete. */
  saved: boolean;
  /** The values that the form was opened with, if it shows edited values. */
  base?: AgentFormValues | undefined;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
}

/** The agent editor. Works without scripts and keeps edited values after a failed save. */
export function AgentForm(props: AgentFormProps) {
  const { action, issues, values, base } = props;
  const refused = Object.keys(issues).some((field) => field !== "form");
  return (
    <PostForm
      {...{ action, issues }}
      labels={FIELD_LABELS}
      class="agent-form"
      id="agent-form"
    >
      <input type="hidden" name="version" value={values.version} />
      <fieldset class="plain" disabled={props.readOnly}>
        <Basics {...props} />
        <Model {...props} />
        <Budget {...props} />
        <Knowledge {...props} />
        <Tools {...props} />
        <Origins {...props} />
        {!props.readOnly && (
          <div class="form-actions sticky">
            <button class="button button-primary" type="submit">{props.submit}</button>
            <a class="button" href="/agents" aria-current="false">Cancel</a>
            <UnsavedChangesGuard
              user={props.user}
              path={action}
              saved={props.saved}
              rejected={refused}
              base={base && { ...base }}
            />
          </div>
        )}
      </fieldset>
    </PostForm>
  );
}

function Basics({ values, issues }: AgentFormProps) {
  return (
    <section class="card stack">
      <Field name="name" label="Name" issue={issues.name}>
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={values.name}
            required
            maxLength={B.agentName}
          />
        )}
      </Field>
      <Field
        name="systemPrompt"
        label="System prompt"
        issue={issues.systemPrompt}
        help="Who the agent is and how it answers. Visitors never see it."
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

function Model({ values, issues, choices: { models } }: AgentFormProps) {
  return (
    <section class="card stack">
      <h2>Model</h2>
      <Field
        name="model"
        label="Model"
        issue={issues.model}
        help="Models included in your plan. Input tokens are read by the model, output tokens are written."
      >
        {(attributes) => (
          <ModelSelect attributes={attributes} groups={models} value={values.model} />
        )}
      </Field>
      <Field
        name="fallback"
        label="Fallback"
        optional
        issue={issues.fallback}
        help="Used when the provider of the first model fails."
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
          {...{ values, issues, name: "temperature", label: "Temperature", optional: true }}
          help="Higher values give more varied answers. Leave blank for the model's default."
          range={{ min: 0, max: 2, step: "any" }}
        />
        <NumberField
          {...{
            values,
            issues,
            name: "maxOutputTokens",
            label: "Max output tokens",
            optional: true,
          }}
          help="Leave blank for 4,096, or the model's maximum if that is lower."
          range={{ min: 1, max: B.maxOutputTokens, step: 1 }}
        />
      </div>
    </section>
  );
}

function Budget({ values, issues, choices }: AgentFormProps) {
  const words = describeBudget({
    price: choices.models.flatMap(({ models }) => models)
      .find(({ vendor, model }) => `${vendor}/${model}` === values.model),
    promptLength: values.systemPrompt.length,
    maxCostUsd: values.maxCostUsd === "" ? NaN : Number(values.maxCostUsd),
    hardDailyUsd: choices.hardDailyUsd,
  });
  return (
    <section class="card stack">
      <div>
        <h2>Budget per message</h2>
        <p class="help">An answer stops when it reaches one of these limits.</p>
      </div>
      <div class="columns">
        <NumberField
          {...{ values, issues, name: "maxCostUsd", label: "Cost, in USD" }}
          range={{ min: 0, max: B.maxCostUsd, step: "any" }}
        />
        <NumberField
          {...{ values, issues, name: "maxSteps", label: "Steps" }}
          help="Model calls per answer. Each round of tool calls needs one more."
          range={{ min: 1, max: B.maxSteps, step: 1 }}
        />
        <NumberField
          {...{ values, issues, name: "wallClockSeconds", label: "Time, in seconds" }}
          range={{ min: B.minWallClockMs / 1000, max: B.maxWallClockMs / 1000, step: "any" }}
        />
      </div>
      <p class="help" id="budget-words" data-hard-daily-usd={choices.hardDailyUsd}>{words}</p>
    </section>
  );
}

function Knowledge({ values, issues, choices: { knowledgeBases } }: AgentFormProps) {
  const value = values.knowledgeBaseId;
  const isKnown = value === "" || knowledgeBases.some(({ id }) => id === value);
  return (
    <section class="card stack">
      <h2>Knowledge</h2>
      <Field
        name="knowledgeBaseId"
        label="Knowledge base"
        optional
        issue={issues.knowledgeBaseId}
        help={
          <>
            The agent searches it and answers from what it finds.{" "}
            <a href="/knowledge" aria-current="false">
              {knowledgeBases.length === 0 ? "Create a knowledge base" : "View knowledge bases"}
            </a>
          </>
        }
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="">No knowledge base</option>
            {!isKnown && <option value={value} selected>{`${value} (deleted)`}</option>}
            {knowledgeBases.map(({ id, name }) => (
              <option key={id} value={id} selected={id === value}>{name}</option>
            ))}
          </select>
        )}
      </Field>
    </section>
  );
}

function Tools({ values, issues, readOnly }: AgentFormProps) {
  return (
    <section class="card stack">
      <div>
        <h2>Tools</h2>
        <p class="help">
          APIs and Model Context Protocol (MCP) servers that the agent may call. At most {B.tools}.
        </p>
      </div>
      <Field
        name="tools"
        label="Tool definitions"
        issue={issues.tools}
        help={
          <>
            As JSON: an array of definitions of type <code>http</code> or <code>mcp</code>.
          </>
        }
      >
        {(attributes) => (
          <ToolEditor attributes={attributes} value={values.tools} readOnly={readOnly} />
        )}
      </Field>
      <LinesField
        {...{ values, issues, name: "allowedDomains", label: "Allowed domains" }}
        placeholder="api.example.com"
        help={
          <>
            Hosts that tools may call, one per line, without <code>https://</code>. Use{" "}
            <code>*.example.com</code> for subdomains.
          </>
        }
      />
    </section>
  );
}

function Origins({ values, issues }: AgentFormProps) {
  return (
    <section class="card stack">
      <h2>Embedding</h2>
      <LinesField
        {...{ values, issues, name: "allowedOrigins", label: "Allowed origins", optional: true }}
        placeholder="https://www.example.com"
        help={
          <>
            Sites that may embed the widget, one per line, with <code>https://</code>{" "}
            and without a path. If empty, no site can embed it.
          </>
        }
      />
    </section>
  );
}
