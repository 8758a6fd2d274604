import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { AgentFormIssues } from "@/lib/dashboard/agents/agent_form_issues.ts";
import type { AgentSectionName } from "@/lib/dashboard/agents/agent_sections.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import type { ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { FIELD_LABELS } from "@/lib/dashboard/agents/agent_field_labels.ts";
import UnsavedChangesGuard from "@/islands/UnsavedChangesGuard.tsx";
import { AgentFields } from "./agents/AgentFields.tsx";
import { NativeAppsField } from "./embed/NativeApps.tsx";
import { PostForm } from "./PostForm.tsx";
import { LinesField } from "./ValueFields.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface AgentFormProps {
  /** Id of the signed-in user. */
  user: string;
  action: string;
  /** The page of the editor; undefined for a new agent, whose form has all fields. */
  section?: AgentSectionName;
  agentId?: string;
  values: AgentFormValues;
  issues: AgentFormIssues;
  choices: EditorChoices;
  toolReport?: ToolReport;
  submit: string;
  /** The form was just saved, so its draft in the browser is obsolete. */
  saved: boolean;
  /** The values that the form was opened with, if it shows unsaved ones. */
  base?: Record<string, string> | undefined;
  /** For viewers, who cannot change anything. */
  readOnly: boolean;
}

const ALL_SECTIONS: readonly AgentSectionName[] = ["instructions", "model", "knowledge", "tools"];

/** The agent editor. Works without scripts and keeps edited values after a failed save. */
export function AgentForm(props: AgentFormProps) {
  const { action, agentId, section, values, issues, choices, toolReport, readOnly, base } = props;
  const rejected = Object.keys(issues).some((field) => field !== "form");
  const templatePath = section !== undefined && !readOnly ? action : undefined;
  return (
    <PostForm
      {...{ action, issues }}
      labels={FIELD_LABELS}
      class="agent-form"
      id="agent-form"
    >
      <input type="hidden" name="version" value={values.version} />
      <fieldset class="plain" disabled={readOnly}>
        {(section === undefined ? ALL_SECTIONS : [section]).map((name) => (
          <AgentFields
            key={name}
            section={name}
            {...{ values, issues, choices, toolReport, readOnly, agentId, templatePath }}
          />
        ))}
        {section === undefined && <Origins values={values} issues={issues} />}
        {section === undefined && values.handoff !== "" && (
          <input type="hidden" name="handoff" value={values.handoff} />
        )}
        {section === undefined && values.guardrails !== "" && (
          <input type="hidden" name="guardrails" value={values.guardrails} />
        )}
        {section === undefined && values.appearance !== "" && (
          <input type="hidden" name="appearance" value={values.appearance} />
        )}
        {!readOnly && (
          <UnsavedChangesGuard
            user={props.user}
            agentId={agentId}
            saved={props.saved}
            rejected={rejected || base !== undefined}
            base={base}
            submit={props.submit}
            cancelHref={section === undefined ? "/agents" : undefined}
          />
        )}
      </fieldset>
    </PostForm>
  );
}

function Origins({ values, issues }: Pick<AgentFormProps, "values" | "issues">) {
  return (
    <section class="card stack">
      <h2>{t("Embedding")}</h2>
      <LinesField
        {...{ values, issues, name: "allowedOrigins", label: t("Allowed sites"), optional: true }}
        placeholder="https://www.example.com"
        help={
          <>
            {rich(
              "Sites that may embed the widget, one per line, with {code} and without a path. Leave blank to block all sites.",
              { code: <code>https://</code> },
            )}
          </>
        }
      />
      <NativeAppsField value={values.nativeApps} />
    </section>
  );
}
