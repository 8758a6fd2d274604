import type { Agent } from "@/lib/schemas/agent.ts";
import { ConfirmForm } from "./ConfirmForm.tsx";
import { ConfirmNameField } from "./ConfirmNameField.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = { confirmName: msg("Type the agent's name to confirm") };

/** Asks for the agent's name, so that a stray click cannot delete it. */
export function DeleteAgentForm(
  { agent, typed = "", issue, cancelHref }: {
    agent: Pick<Agent, "id" | "name">;
    typed?: string;
    issue?: string | undefined;
    /** Set on a page, omitted in a dialog. */
    cancelHref?: string;
  },
) {
  return (
    <ConfirmForm
      action={`/agents/${agent.id}/delete`}
      title={t("Delete {name}?", { name: agent.name })}
      confirm={t("Delete agent")}
      issues={{ confirmName: issue }}
      labels={LABELS}
      lead={t("Couldn't delete.")}
      {...(cancelHref === undefined ? {} : { cancelHref })}
    >
      <div class="stack">
        <p>
          {t(
            "Its widget stops answering immediately, and all its versions are deleted. This cannot be undone.",
          )}
        </p>
        <ConfirmNameField
          label={LABELS.confirmName}
          expected={agent.name}
          typed={typed}
          issue={issue}
        />
      </div>
    </ConfirmForm>
  );
}
