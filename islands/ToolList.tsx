import { useRef } from "preact/hooks";
import { focusAfterRender } from "@/lib/dashboard/browser/focus_after_render.ts";
import { focusToolField } from "@/lib/dashboard/browser/focus_tool_field.ts";
import {
  type AgentChoice,
  NEW_AGENT_TOOL,
  NEW_HTTP_TOOL,
  NEW_MCP_SERVER,
  NEW_PAGE_TOOL,
  type ToolDraft,
} from "@/lib/dashboard/agents/tool_draft.ts";
import type { ToolProblem, ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import ToolRow from "./ToolRow.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ToolListProps {
  tools: ToolDraft[];
  agentId: string | undefined;
  agents: readonly AgentChoice[];
  problems: readonly ToolProblem[];
  servers: NonNullable<ToolReport["servers"]>;
  onChange: (tools: ToolDraft[]) => void;
}

/** The tools as rows, each with its problems. */
export default function ToolList(
  { tools, agentId, agents, problems, servers, onChange }: ToolListProps,
) {
  const add = useRef<HTMLButtonElement>(null);
  /** Adds a tool, opens it and focuses its name. */
  function addTool(tool: ToolDraft) {
    onChange([...tools, tool]);
    focusToolField(`tool-${tools.length}`, "name");
  }
  /** Removes a tool and moves the focus from its button to the next tool, or the previous. */
  function remove(n: number) {
    onChange(tools.toSpliced(n, 1));
    const next = Math.min(n, tools.length - 2);
    focusAfterRender(() =>
      document.querySelector<HTMLElement>(`#tool-${next} button`) ?? add.current
    );
  }
  return (
    <>
      <ul class="tool-list">
        {tools.map((tool, n) => (
          <ToolRow
            key={n}
            id={`tool-${n}`}
            {...{ tool, agentId, agents, servers }}
            problems={problems.filter((problem) => problem.tool === n)}
            onChange={(next) => onChange(tools.with(n, next))}
            onRemove={() => remove(n)}
            onAllow={allowDomain}
          />
        ))}
      </ul>
      {tools.length === 0 && (
        <p class="help">{t("No tools yet. Add one to let the agent call your APIs.")}</p>
      )}
      <div class="form-actions tool-add">
        <button
          type="button"
          class="button button-small"
          ref={add}
          onClick={() => addTool(NEW_HTTP_TOOL)}
        >
          {t("Add HTTP tool")}
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => addTool(NEW_MCP_SERVER)}
        >
          {t("Add MCP server")}
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => addTool(NEW_PAGE_TOOL)}
        >
          {t("Add page tool")}
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => addTool({ ...NEW_AGENT_TOOL, agentId: agents[0]?.id ?? "" })}
        >
          {t("Add agent")}
        </button>
      </div>
    </>
  );
}

/** Adds a line to the form's allowed domains, as if it had been typed. */
function allowDomain(host: string): void {
  const area = document.getElementById("allowedDomains") as HTMLTextAreaElement | null;
  if (area === null) return;
  const text = area.value.trimEnd();
  area.value = text === "" ? host : `${text}\n${host}`;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}
