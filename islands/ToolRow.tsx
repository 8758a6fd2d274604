import { useRef, useState } from "preact/hooks";
import { AgentToolFields } from "@/components/tools/AgentToolFields.tsx";
import { ClientToolFields } from "@/components/tools/ClientToolFields.tsx";
import { HttpToolFields, McpToolFields } from "@/components/tools/ToolFields.tsx";
import { McpConnectionLink } from "@/components/tools/McpConnectionLink.tsx";
import { ToolProblemList } from "@/components/tools/ToolProblemList.tsx";
import { focusToolField } from "@/lib/dashboard/browser/focus_tool_field.ts";
import type { AgentChoice, ToolDraft } from "@/lib/dashboard/agents/tool_draft.ts";
import type { ToolProblem, ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import ToolTest from "./ToolTest.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface ToolRowProps {
  /** Prefix of the controls' ids. */
  id: string;
  tool: ToolDraft;
  /** Of this tool. */
  problems: readonly ToolProblem[];
  /** States of the tenant's connections to MCP servers. */
  servers: NonNullable<ToolReport["servers"]>;
  /** Undefined for a new agent. */
  agentId: string | undefined;
  /** That a tool may ask. */
  agents: readonly AgentChoice[];
  onChange: (tool: ToolDraft) => void;
  onRemove: () => void;
  /** Adds a host to the allowed domains. */
  onAllow: (host: string) => void;
}

type Tab = "edit" | "test";

/** One tool of the list. It opens in a panel of its own, to edit and to test it. */
export default function ToolRow(props: ToolRowProps) {
  const { id, tool, problems, agents, onAllow } = props;
  const panel = useRef<HTMLDialogElement>(null);
  const [tab, setTab] = useState<Tab>("edit");
  const name = String(tool.name ?? "") || "unnamed";
  function open(next: Tab) {
    setTab(next);
    panel.current?.showModal();
  }
  function openField(path: string) {
    open("edit");
    focusToolField(id, path);
  }
  return (
    <li class="tool" id={id}>
      <div class="tool-row">
        <code class="tool-name">{name}</code>
        <span class="help">{toolAddress(tool, agents)}</span>
        <button
          type="button"
          class="button button-small"
          aria-label={t("Edit {name}", { name })}
          onClick={() => open("edit")}
        >
          {t("Edit")}
        </button>
        {isTestableTool(tool) && (
          <button
            type="button"
            class="button button-small"
            aria-label={t("Test {name}", { name })}
            onClick={() => open("test")}
          >
            {t("Test")}
          </button>
        )}
      </div>
      <ToolProblemList problems={problems} onOpen={openField} onAllow={onAllow} />
      <dialog
        class="tool-panel"
        id={`${id}-panel`}
        ref={panel}
        aria-label={t("Tool {name}", { name })}
        onKeyDown={commitOnEnter}
        onMouseDown={({ target }) => target === panel.current && panel.current?.close()}
      >
        <Panel {...props} name={name} tab={tab} setTab={setTab} />
      </dialog>
    </li>
  );
}

function Panel(
  { id, tool, problems, servers, agentId, agents, onChange, onRemove, name, tab, setTab }:
    & ToolRowProps
    & {
      name: string;
      tab: Tab;
      setTab: (tab: Tab) => void;
    },
) {
  const fields = { id, tool, problems, onChange };
  // Only the visitor's page can execute its tools, and only a run asks agents.
  const isTestable = isTestableTool(tool);
  const close = ({ currentTarget }: { currentTarget: Element }) =>
    currentTarget.closest("dialog")?.close();
  return (
    <div class="dialog-body">
      <header class="tool-panel-head">
        <h3>{name}</h3>
        <button type="button" class="button button-small" onClick={close}>{t("Done")}</button>
      </header>
      {isTestable && <Tabs id={id} tab={tab} setTab={setTab} />}
      <div
        class="stack"
        id={`${id}-edit`}
        aria-labelledby={`${id}-edit-tab`}
        hidden={isTestable && tab !== "edit"}
      >
        {tool.type === "http" && <HttpToolFields {...fields} />}
        {tool.type === "mcp" && (
          <>
            <McpToolFields {...fields} />
            <McpConnectionLink url={tool.url} servers={servers} agentId={agentId} />
          </>
        )}
        {tool.type === "client" && <ClientToolFields {...fields} />}
        {tool.type === "agent" && <AgentToolFields {...fields} agents={agents} />}
        <div>
          <button
            type="button"
            class="button button-small"
            aria-label={t("Remove tool {name}", { name })}
            onClick={(event) => {
              close(event);
              onRemove();
            }}
          >
            {t("Remove tool")}
          </button>
        </div>
      </div>
      {isTestable && (
        <div
          role="tabpanel"
          id={`${id}-test`}
          aria-labelledby={`${id}-test-tab`}
          hidden={tab !== "test"}
        >
          <ToolTest tool={tool} agentId={agentId} />
        </div>
      )}
    </div>
  );
}

const TABS = { edit: msg("Edit"), test: msg("Test") } as const;

function Tabs({ id, tab, setTab }: { id: string; tab: Tab; setTab: (tab: Tab) => void }) {
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = tab === "edit" ? "test" : "edit";
    setTab(next);
    document.getElementById(`${id}-${next}-tab`)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label={t("Tool")} onKeyDown={onKeyDown}>
      {(["edit", "test"] as const).map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${id}-${name}-tab`}
          aria-selected={tab === name}
          aria-controls={`${id}-${name}`}
          tabIndex={tab === name ? 0 : -1}
          onClick={() => setTab(name)}
        >
          {t(TABS[name])}
        </button>
      ))}
    </div>
  );
}

/** Enter in a field reports its value; it must not send the form behind the panel. */
function commitOnEnter(event: KeyboardEvent): void {
  const { key, target } = event;
  if (key !== "Enter" || !(target instanceof HTMLInputElement)) return;
  event.preventDefault();
  target.blur();
  target.focus();
}

function isTestableTool({ type }: ToolDraft): boolean {
  return type === "http" || type === "mcp";
}

function toolAddress(
  { type, url, request, agentId }: ToolDraft,
  agents: readonly AgentChoice[],
): string {
  if (type === "agent") return agents.find(({ id }) => id === agentId)?.name ?? `${agentId ?? ""}`;
  if (type === "client") return t("On the visitor's page");
  return type === "http" ? `${request?.method ?? ""} ${request?.url ?? ""}` : `MCP ${url ?? ""}`;
}
