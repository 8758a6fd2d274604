import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { AgentForm } from "./AgentForm.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Offers to save the edits of a meanwhile deleted agent as a new agent. */
export function DeletedAgentForm(
  { user, values, choices }: { user: string; values: AgentFormValues; choices: EditorChoices },
) {
  const form = t(
    "This agent was deleted. Your changes are still here: save them as a new agent with a new ID.",
  );
  return (
    <>
      <PageHeader
        title={values.name || t("Deleted agent")}
        titlePrefix={t("Not saved")}
        back={{ href: "/agents", label: t("Agents") }}
      />
      <AgentForm
        user={user}
        values={{ ...values, version: "" }}
        issues={{ form }}
        choices={choices}
        action="/agents/new"
        submit={t("Create new agent")}
        readOnly={false}
        saved={false}
      />
    </>
  );
}
