import type { Agent } from "@/lib/schemas/agent.ts";
import { ConfirmForm } from "./ConfirmForm.tsx";
import { Field } from "./Field.tsx";

const LABELS = { confirmName: "Type its name to delete it" };

/** Asks for the agent's name before it is gone: a click too many must not do. */
export function DeleteAgentForm(
  { agent, typed = "", fault, cancelHref }: {
    agent: Pick<Agent, "id" | "name">;
    typed?: string;
    fault?: string | undefined;
    /** On a page of its own. */
    cancelHref?: string;
  },
) {
  return (
    <ConfirmForm
      action={`/agents/${agent.id}/delete`}
      title={`Delete ${agent.name}?`}
      confirm="Delete"
      faults={{ confirmName: fault }}
      labels={LABELS}
      lead="Nothing was deleted."
      {...(cancelHref === undefined ? {} : { cancelHref })}
    >
      <div class="stack">
        <p>
          Its widget stops answering at once, and its earlier versions go with it. This cannot be
          undone.
        </p>
        <Field
          name="confirmName"
          label={LABELS.confirmName}
          fault={fault}
          help={<>Exactly as it is: {agent.name}</>}
        >
          {(attributes) => (
            <input
              type="text"
              {...attributes}
              value={typed}
              required
              autocomplete="off"
              spellcheck={false}
            />
          )}
        </Field>
      </div>
    </ConfirmForm>
  );
}
