import type { AgentFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import type { EditorChoices } from "@/lib/dashboard/agents/editor_choices.ts";
import { AgentForm } from "./AgentForm.tsx";
import { PageHeader } from "./PageHeader.tsx";

/** Offers to save the edits of a meanwhile deleted agent as a new agent. */
export function DeletedAgentForm(
  { user, values, choices }: { user: string; values: AgentFormValues; choices: EditorChoices },
) {
  const form =
    "This agent was deleted. Your changes are still here: save them as a new agent with a new ID.";
  return (
    <>
      <PageHeader
        title={values.name || "Deleted agent"}
        titlePrefix="Not saved"
        back={{ href: "/agents", label: "Agents" }}
      />
      <AgentForm
        user={user}
        values={{ ...values, version: "" }}
        issues={{ form }}
        choices={choices}
        action="/agents/new"
        submit="Create new agent"
        readOnly={false}
        saved={false}
      />
    </>
  );
}
