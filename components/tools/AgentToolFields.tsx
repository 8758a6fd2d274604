import { type AgentChoice, type ToolDraft, withChange } from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt } from "@/lib/dashboard/agents/tool_problem.ts";
import { ShownTexts, type ToolFieldsProps } from "./CallFields.tsx";
import { LabelledInput } from "./LabelledInput.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The fields of a tool that asks another agent. */
export function AgentToolFields(
  { agents, ...props }: ToolFieldsProps & { agents: readonly AgentChoice[] },
) {
  const { id, tool, problems, onChange } = props;
  const issue = (path: string) => ({ issue: problemsAt(problems, path) });
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <LabelledInput
        id={`${id}-name`}
        {...issue("name")}
        label={t("Tool name")}
        mono
        value={tool.name}
        help={t("Letters, digits, - and _. The model calls the tool by this name.")}
        onCommit={(name) => set({ name: name.trim() })}
      />
      <LabelledInput
        id={`${id}-description`}
        {...issue("description")}
        label={t("Description")}
        kind="lines"
        value={tool.description}
        help={t("What the other agent knows and when to ask it. The model decides based on this.")}
        onCommit={(description) => set({ description })}
      />
      <AgentSelect id={`${id}-agentId`} {...{ tool, agents, set }} {...issue("agentId")} />
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
