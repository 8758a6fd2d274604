import { AGENT_TEMPLATES } from "@/lib/dashboard/agents/agent_templates.ts";
import { FIELD_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { MEMORY_BOUNDS } from "@/lib/schemas/memory.ts";
import { Field } from "../Field.tsx";
import { NumberField } from "../ValueFields.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";
import { VariableTable } from "./VariableTable.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What the agent is called and how it answers. */
export function InstructionsFields({ values, issues, templatePath }: AgentFieldsProps) {
  return (
    <section class="card stack">
      <Field name="name" label={t("Name")} issue={issues.name}>
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
        label={t("System prompt")}
        issue={issues.systemPrompt}
        help={t("Who the agent is and how it answers. Visitors never see it.")}
      >
        {(attributes) => (
          <textarea {...attributes} rows={12} required maxLength={B.systemPrompt}>
            {values.systemPrompt}
          </textarea>
        )}
      </Field>
      <VariableTable value={values.variables} issue={issues.variables} />
      <Field
        name="followUps"
        label={t("Follow-up questions")}
        issue={issues.followUps}
        help={t(
          "The model may suggest up to three questions below an answer. It writes them with the answer, so they cost only their own tokens.",
        )}
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="" selected={values.followUps === ""}>{t("Off")}</option>
            <option value="on" selected={values.followUps === "on"}>{t("On")}</option>
          </select>
        )}
      </Field>
      <MemoryFields {...{ values, issues }} />
      {templatePath !== undefined && <Templates path={templatePath} />}
      <details class="more" open={issues.temperature !== undefined}>
        <summary>{t("Advanced")}</summary>
        <div class="columns">
          <NumberField
            {...{ values, issues, name: "temperature", label: t("Temperature"), optional: true }}
            help={t("0 is predictable, 2 is creative. Leave blank for the model's default.")}
            range={{ min: 0, max: 2, step: "any" }}
          />
        </div>
      </details>
    </section>
  );
}

function MemoryFields({ values, issues }: Pick<AgentFieldsProps, "values" | "issues">) {
  return (
    <>
      <Field
        name="memory"
        label={t("Memory")}
        issue={issues.memory}
        help={t(
          "The model may remember up to 50 short facts about a visitor whom your backend names. Visitors can read, change and delete them.",
        )}
      >
        {(attributes) => (
          <select {...attributes}>
            <option value="" selected={values.memory === ""}>{t("Off")}</option>
            <option value="on" selected={values.memory === "on"}>{t("On")}</option>
          </select>
        )}
      </Field>
      <Field
        name="memoryInstructions"
        label={t("What to remember")}
        issue={issues.memoryInstructions}
        help={t("Optional: which facts matter to this agent, and which it must not keep.")}
      >
        {(attributes) => (
          <textarea {...attributes} rows={2} maxLength={MEMORY_BOUNDS.instructions}>
            {values.memoryInstructions}
          </textarea>
        )}
      </Field>
    </>
  );
}

/** Links to this page with the prompt of a template, which is saved only with the form. */
function Templates({ path }: { path: string }) {
  const templates = AGENT_TEMPLATES.filter(({ values }) => values.systemPrompt !== undefined);
  return (
    <details class="more">
      <summary>{t("Start from a template")}</summary>
      <ul class="template-list">
        {templates.map(({ id, title, text }) => (
          <li key={id}>
            <a href={`${path}?template=${id}`} aria-current="false">{t(title)}</a>
            <span class="help">{t(text)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
