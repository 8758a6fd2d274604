import { type ToolDraft, withChange } from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt } from "@/lib/dashboard/agents/tool_problem.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { ShownTexts, type ToolFieldsProps } from "./CallFields.tsx";
import { JsonInput, LabelledInput } from "./LabelledInput.tsx";
import { NameFields } from "./NameFields.tsx";
import { ParameterRows } from "./ParameterRows.tsx";

/** The fields of a tool that the visitor's page executes. */
export function ClientToolFields({ id, tool, problems, onChange }: ToolFieldsProps) {
  const issue = (path: string) => ({ issue: problemsAt(problems, path) });
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <NameFields
        {...{ id, tool, problems, onChange }}
        nameHelp={t("Your page registers its function under this name.")}
      />
      <ShownTexts {...{ id, tool, problems, onChange }} />
      <ParameterRows
        id={`${id}-parameters`}
        issue={problemsAt(problems, "parameters")}
        schema={tool.parameters}
        onChange={(parameters) => set({ parameters })}
      />
      <JsonInput
        id={`${id}-output`}
        {...issue("output")}
        label={t("Output")}
        value={tool.output}
        help={t("The JSON schema of what the page returns. Leave blank to accept anything.")}
        onCommit={(output) => set({ output })}
      />
      <LabelledInput
        id={`${id}-timeout`}
        {...issue("timeoutMs")}
        label={t("Timeout, in milliseconds")}
        kind="number"
        value={tool.timeoutMs}
        placeholder="30000"
        onCommit={(ms) => set({ timeoutMs: ms.trim() === "" ? undefined : Number(ms) })}
      />
    </>
  );
}
