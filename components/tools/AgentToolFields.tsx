import { type AgentChoice, type ToolDraft, withChange } from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt } from "@/lib/dashboard/agents/tool_problem.ts";
import { ShownTexts, type ToolFieldsProps } from "./CallFields.tsx";
import { NameFields } from "./NameFields.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The fields of a tool that asks another agent. */
export function AgentToolFields(
  { agents, ...props }: ToolFieldsProps & { agents: readonly AgentChoice[] },
) {
  const { id, tool, problems, onChange } = props;
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <NameFields
        {...props}
        descriptionHelp={t(
          "What the other agent knows and when to ask it. The model decides based on this.",
        )}
      />
      <AgentSelect
        id={`${id}-agentId`}
        {...{ tool, agents, set }}
        issue={problemsAt(problems, "agentId")}
      />
      <ShownTexts {...props} />
    </>
  );
}

function AgentSelect({ id, tool, agents, issue, set }: {
  id: string;
  tool: ToolDraft;
  agents: readonly AgentChoice[];
  issue: string | undefined;
  set: (change: Partial<ToolDraft>) => void;
}) {
  const chosen = String(tool.agentId ?? "");
  const isListed = agents.some((agent) => agent.id === chosen);
  return (
    <div class="field">
      <label for={id}>{t("Agent")}</label>
      <select
        id={id}
        aria-describedby={`${id}-help`}
        aria-invalid={issue === undefined ? undefined : true}
        onChange={({ currentTarget }) => set({ agentId: currentTarget.value })}
      >
        {!isListed && <option value={chosen} selected>{chosen || t("Choose an agent")}</option>}
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id} selected={agent.id === chosen}>
            {agent.name}
          </option>
        ))}
      </select>
      {issue !== undefined && <p class="field-error">{issue}</p>}
      <p class="help" id={`${id}-help`}>
        {t("It answers one question at a time, within this agent's budget, with its own tools.")}
      </p>
    </div>
  );
}
