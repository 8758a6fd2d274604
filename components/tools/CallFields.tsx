import { type ToolDraft, withChange } from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt, type ToolProblem } from "@/lib/dashboard/agents/tool_problem.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { FieldIssue, LabelledInput } from "./LabelledInput.tsx";

export interface ToolFieldsProps {
  /** Prefix of the controls' ids. */
  id: string;
  tool: ToolDraft;
  /** Of this tool. */
  problems: readonly ToolProblem[];
  onChange: (tool: ToolDraft) => void;
}

/** What visitors read: the tool's name and what it is doing. */
export function ShownTexts({ id, tool, problems, onChange }: ToolFieldsProps) {
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <LabelledInput
        id={`${id}-title`}
        issue={problemsAt(problems, "title")}
        label={t("Name for people")}
        value={tool.title}
        placeholder={t("Refund an order")}
        help={t("Shown where people approve a call. The model does not see it.")}
        onCommit={(text) => set({ title: text.trim() || undefined })}
      />
      <LabelledInput
        id={`${id}-progress`}
        issue={problemsAt(problems, "progress")}
        label={t("Text while it runs")}
        value={tool.progress}
        placeholder={t("Looking up your order…")}
        help={t("Visitors read this instead of a general text. The model does not see it.")}
        onCommit={(text) => set({ progress: text.trim() || undefined })}
      />
    </>
  );
}

const APPROVALS = {
  never: msg("Not needed"),
  visitor: msg("From the visitor"),
  person: msg("From your team"),
} as const;

/** Who must approve a call, and whether it may be repeated or run beside others. */
export function CallFields({ id, tool, problems, onChange }: ToolFieldsProps) {
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  return (
    <>
      <div class="field">
        <label for={`${id}-approval`}>{t("Approval")}</label>
        <select
          id={`${id}-approval`}
          aria-describedby={`${id}-approval-help`}
          onChange={({ currentTarget: { value } }) =>
            set({ approval: value === "never" ? undefined : value })}
        >
          {Object.entries(APPROVALS).map(([value, label]) => (
            <option key={value} value={value} selected={value === (tool.approval ?? "never")}>
              {t(label)}
            </option>
          ))}
        </select>
        <FieldIssue id={`${id}-approval`} issue={problemsAt(problems, "approval")} />
        <p class="help" id={`${id}-approval-help`}>
          {t("The answer waits for at most a minute. Without approval the call is not made.")}
        </p>
      </div>
      <Checkbox
        id={`${id}-idempotent`}
        label={t("Calls may be repeated")}
        help={t("Your server ignores a call with an Idempotency-Key that it has seen.")}
        checked={tool.idempotent === true}
        issue={problemsAt(problems, "idempotent")}
        onCommit={(idempotent) => set({ idempotent })}
      />
      <Checkbox
        id={`${id}-parallel`}
        label={t("Calls may run at the same time")}
        help={t("Only for the method GET, or if calls may be repeated.")}
        checked={tool.parallel === true}
        issue={problemsAt(problems, "parallel")}
        onCommit={(parallel) => set({ parallel })}
      />
    </>
  );
}

function Checkbox(
  { id, label, help, checked, issue, onCommit }: {
    id: string;
    label: string;
    help: string;
    checked: boolean;
    issue: string | undefined;
    onCommit: (value: true | undefined) => void;
  },
) {
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          id={id}
          checked={checked}
          aria-describedby={`${id}-help`}
          onChange={({ currentTarget }) => onCommit(currentTarget.checked || undefined)}
        />
        {label}
      </label>
      <FieldIssue id={id} issue={issue} />
      <p class="help" id={`${id}-help`}>{help}</p>
    </div>
  );
}
