import { t } from "../texts/translate.ts";

/** What is wrong with a tool, for the form and for the browser. */
export interface ToolProblem {
  /** Index of the tool. */
  tool: number;
  /** Within the tool, such as `request.url`; blank for the tool as a whole. */
  path: string;
  /** A sentence. */
  message: string;
  /** The tool can be saved, but its calls fail until this is solved. */
  isWarning?: true;
  /** An allowed domain that solves it. */
  allow?: string;
  /** The host that the operator would have to allow in `EGRESS_ALLOW`. */
  blockedHost?: string;
}

/** The state of a form's tools. */
export interface ToolReport {
  problems: readonly ToolProblem[];
  /** The line of the configuration that allows all blocked hosts; only operators see it. */
  setting?: string;
  /** The tenant's connections to MCP servers, by their URLs. */
  servers?: Readonly<Record<string, "connected" | "attention">>;
}

/** The messages about a value of a tool or a part of it, one per line. */
export function problemsAt(problems: readonly ToolProblem[], path: string): string | undefined {
  const found = problems.filter((problem) =>
    problem.path === path || problem.path.startsWith(`${path}.`)
  );
  return found.length === 0 ? undefined : found.map(({ message }) => message).join("\n");
}

/** The messages that prevent saving, one per line, for the form without scripts. */
export function toolErrorText(problems: readonly ToolProblem[]): string | undefined {
  const errors = problems.filter(({ isWarning }) => !isWarning);
  if (errors.length === 0) return undefined;
  return errors.map(({ tool, path, message }) =>
    path === ""
      ? t("Tool {tool}: {message}", { tool: tool + 1, message })
      : t("Tool {tool}, {path}: {message}", { tool: tool + 1, path, message })
  ).join("\n");
}
