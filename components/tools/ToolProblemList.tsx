import type { ToolProblem } from "@/lib/dashboard/agents/tool_problem.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ToolProblemListProps {
  problems: readonly ToolProblem[];
  /** Opens the field with this path. */
  onOpen: (path: string) => void;
  /** Adds a host to the allowed domains. */
  onAllow: (host: string) => void;
}

/** Everything that is wrong with a tool, each with the field or the setting that mends it. */
export function ToolProblemList({ problems, onOpen, onAllow }: ToolProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul class="tool-problems">
      {problems.map(({ path, message, isWarning, allow }) => (
        <li key={`${path} ${message}`} class={isWarning ? "tool-warning" : "field-error"}>
          <span>{message}</span>
          {allow === undefined
            ? (
              <button
                type="button"
                class="button button-small"
                aria-label={t("Show field: {message}", { message })}
                onClick={() => onOpen(path)}
              >
                {t("Show field")}
              </button>
            )
            : (
              <button
                type="button"
                class="button button-small"
                onClick={() => onAllow(allow)}
              >
                {t("Allow {allow}", { allow })}
              </button>
            )}
        </li>
      ))}
    </ul>
  );
}
