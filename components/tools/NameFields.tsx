import { type ToolDraft, withChange } from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt } from "@/lib/dashboard/agents/tool_problem.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import type { ToolFieldsProps } from "./CallFields.tsx";
import { LabelledInput } from "./LabelledInput.tsx";

/** What the model calls a tool, and when it should: the first fields of every tool but MCP servers. */
export function NameFields(
  { id, tool, problems, onChange, ...help }: ToolFieldsProps & {
    nameHelp?: string;
    descriptionHelp?: string;
  },
) {
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <LabelledInput
        id={`${id}-name`}
        issue={problemsAt(problems, "name")}
        label={t("Tool name")}
        mono
        value={tool.name}
        help={help.nameHelp ??
          t("Letters, digits, - and _. The model calls the tool by this name.")}
        onCommit={(name) => set({ name: name.trim() })}
      />
      <LabelledInput
        id={`${id}-description`}
        issue={problemsAt(problems, "description")}
        label={t("Description")}
        kind="lines"
        value={tool.description}
        help={help.descriptionHelp ??
          t("What the tool does and when to use it. The model decides based on this.")}
        onCommit={(description) => set({ description })}
      />
    </>
  );
}
