import { IS_BROWSER } from "fresh/runtime";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { focusAfterRender } from "@/lib/dashboard/browser/focus_after_render.ts";
import { focusToolField } from "@/lib/dashboard/browser/focus_tool_field.ts";
import { TOOL_REPORT } from "@/lib/dashboard/browser/live_validation.ts";
import type { ControlAttributes } from "@/components/Field.tsx";
import {
  NEW_HTTP_TOOL,
  NEW_MCP_SERVER,
  parseTools,
  type ToolDraft,
} from "@/lib/dashboard/agents/tool_draft.ts";
import type { ToolProblem, ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { CodeBlock } from "@/components/CodeBlock.tsx";
import ToolRow from "./ToolRow.tsx";

export interface ToolEditorProps {
  attributes: ControlAttributes;
  /** A JSON array. Anything else is only shown as JSON. */
  value: string;
  readOnly: boolean;
  /** When the page was made. */
  report: ToolReport;
  /** Undefined for a new agent. */
  agentId?: string | undefined;
}

/**
 * A form over the JSON of an agent's tools. The JSON field is what is submitted, with and without
 * scripts; the form only writes into it.
 */
export default function ToolEditor(props: ToolEditorProps) {
  const { attributes, value, readOnly, agentId } = props;
  const [report, setReport] = useState(props.report);
  const { problems, setting } = report;
  const [ready, setReady] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const [text, setText] = useState(() => restoredValue(attributes.id) ?? value);
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const written = useRef(text);
  useEffect(() => {
    setReady(true);
    const form = area.current?.form;
    const onReport = (event: Event) => setReport((event as CustomEvent<ToolReport>).detail);
    form?.addEventListener(TOOL_REPORT, onReport);
    return () => form?.removeEventListener(TOOL_REPORT, onReport);
  }, []);
  // A layout effect: dispatched later, the event would revert changes made in between.
  useLayoutEffect(() => {
    if (written.current === text) return;
    written.current = text;
    area.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [text]);
  const tools = parseTools(text);
  // Then the message about the whole field would only repeat them.
  const hasErrors = problems.some(({ isWarning }) => !isWarning);
  const asForm = ready && !readOnly && !asJson && tools !== undefined;
  useEffect(() => {
    // The rejected JSON field had the focus and was just hidden.
    if (asForm && attributes.autofocus) {
      list.current?.querySelector<HTMLElement>(".tool button")?.focus();
    }
  }, [asForm]);
  return (
    // Links to the field lead to the visible view.
    <div
      class={["stack tool-editor", asForm && "as-form", asForm && hasErrors && "with-problems"]
        .filter(Boolean).join(" ")}
      ref={list}
      {...asForm && { id: attributes.id, tabIndex: -1 }}
    >
      <textarea
        {...attributes}
        id={asForm ? undefined : attributes.id}
        ref={area}
        class="mono"
        rows={6}
        spellcheck={false}
        hidden={asForm}
        value={text}
        data-default={value}
        onInput={({ currentTarget }) => setText(written.current = currentTarget.value)}
      />
      {!asForm && <Warnings problems={problems} />}
      {asForm && (
        <ToolList
          {...{ tools, agentId, problems }}
          onChange={(next) => setText(JSON.stringify(next, null, 2))}
        />
      )}
      {ready && !readOnly && (
        <div class="form-actions tool-json">
          <button
            type="button"
            class="button button-small"
            aria-pressed={!asForm}
            disabled={tools === undefined}
            onClick={() => setAsJson(!asJson)}
          >
            Edit as JSON
          </button>
          {tools === undefined && (
            <span class="help">The form is available once the JSON is an array of tools.</span>
          )}
        </div>
      )}
      {setting !== undefined && (
        <CodeBlock
          label="To allow these hosts, set this for the service and restart it"
          code={setting}
        />
      )}
    </div>
  );
}

/** The value that the browser restored when the user navigated back. */
function restoredValue(id: string): string | undefined {
  if (!IS_BROWSER) return undefined;
  const area = document.getElementById(id);
  return area instanceof HTMLTextAreaElement ? area.value : undefined;
}

interface ToolListProps {
  tools: ToolDraft[];
  agentId: string | undefined;
  problems: readonly ToolProblem[];
  onChange: (tools: ToolDraft[]) => void;
}

function ToolList({ tools, agentId, problems, onChange }: ToolListProps) {
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
            {...{ tool, agentId }}
            problems={problems.filter((problem) => problem.tool === n)}
            onChange={(next) => onChange(tools.with(n, next))}
            onRemove={() => remove(n)}
            onAllow={allowDomain}
          />
        ))}
      </ul>
      {tools.length === 0 && (
        <p class="help">No tools yet. Add one to let the agent call your APIs.</p>
      )}
      <div class="form-actions tool-add">
        <button
          type="button"
          class="button button-small"
          ref={add}
          onClick={() => addTool(NEW_HTTP_TOOL)}
        >
          Add HTTP tool
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => addTool(NEW_MCP_SERVER)}
        >
          Add MCP server
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

/** Without the form: what can be saved, but will not work. */
function Warnings({ problems }: { problems: readonly ToolProblem[] }) {
  return problems.filter(({ isWarning }) => isWarning).map(({ tool, message }) => (
    <p key={tool} class="tool-warning">{`Tool ${tool + 1}: ${message}`}</p>
  ));
}
