import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { AgentForm } from "./AgentForm.tsx";
import { PageHeader } from "./PageHeader.tsx";

/** What somebody was saving when the agent was deleted elsewhere: it can become a new one. */
export function DeletedAgentForm(
  { user, values, choices }: { user: string; values: AgentFormValues; choices: EditorChoices },
) {
  const form =
    "This agent was deleted. What you typed is still here: create it anew, under a new id.";
  return (
    <>
      <PageHeader
        title={values.name || "Deleted agent"}
        refused="Not saved"
        back={{ href: "/agents", label: "Agents" }}
      />
      <AgentForm
        user={user}
        values={{ ...values, version: "" }}
        faults={{ form }}
        choices={choices}
        action="/agents/new"
        submit="Create it anew"
        readOnly={false}
        saved={false}
      />
    </>
  );
}
