import { IS_BROWSER } from "fresh/runtime";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { focusAfterRender } from "@/lib/dashboard/browser/focus_after_render.ts";
import type { ControlAttributes } from "@/components/Field.tsx";
import { HttpToolFields, McpToolFields } from "@/components/tools/ToolFields.tsx";
import {
  NEW_HTTP_TOOL,
  NEW_MCP_SERVER,
  parseTools,
  type ToolDraft,
} from "@/lib/dashboard/agents/tool_draft.ts";
import ToolTest from "./ToolTest.tsx";

export interface ToolEditorProps {
  attributes: ControlAttributes;
  /** A JSON array. Anything else is only shown as JSON. */
  value: string;
  readOnly: boolean;
  /** Undefined for a new agent. */
  agentId?: string | undefined;
}

/**
 * A form over the JSON of an agent's tools. The JSON field is what is submitted, with and without
 * scripts; the form only writes into it.
 */
export default function ToolEditor({ attributes, value, readOnly, agentId }: ToolEditorProps) {
  const [ready, setReady] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const [text, setText] = useState(() => restoredValue(attributes.id) ?? value);
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const written = useRef(text);
  useEffect(() => setReady(true), []);
  // A layout effect: dispatched later, the event would revert changes made in between.
  useLayoutEffect(() => {
    if (written.current === text) return;
    written.current = text;
    area.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [text]);
  const tools = parseTools(text);
  const asForm = ready && !readOnly && !asJson && tools !== undefined;
  useEffect(() => {
    // The rejected JSON field had the focus and was just hidden.
    if (asForm && attributes.autofocus) list.current?.querySelector("summary")?.focus();
  }, [asForm]);
  return (
    // Links to the field lead to the visible view.
    <div class="stack tool-editor" ref={list} {...asForm && { id: attributes.id, tabIndex: -1 }}>
      {ready && !readOnly && (
        <div class="form-actions">
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
      {asForm && (
        <ToolList
          tools={tools}
          agentId={agentId}
          onChange={(next) => setText(JSON.stringify(next, null, 2))}
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

function ToolList(
  { tools, agentId, onChange }: {
    tools: ToolDraft[];
    agentId: string | undefined;
    onChange: (tools: ToolDraft[]) => void;
  },
) {
  const add = useRef<HTMLButtonElement>(null);
  /** Adds a tool, opens it and focuses its name. */
  function addTool(tool: ToolDraft) {
    onChange([...tools, tool]);
    focusAfterRender(() => {
      const details = document.getElementById(`tool-${tools.length}`) as HTMLDetailsElement | null;
      if (details !== null) details.open = true;
      return document.getElementById(`tool-${tools.length}-name`);
    });
  }
  /** Removes a tool and moves the focus from its button to the next tool, or the previous. */
  function remove(n: number) {
    onChange(tools.toSpliced(n, 1));
    const next = Math.min(n, tools.length - 2);
    focusAfterRender(() =>
      document.querySelector<HTMLElement>(`#tool-${next} > summary`) ?? add.current
    );
  }
  return (
    <>
      {tools.map((tool, n) => (
        <Tool
          key={n}
          id={`tool-${n}`}
          tool={tool}
          agentId={agentId}
          onChange={(next) => onChange(tools.with(n, next))}
          onRemove={() => remove(n)}
        />
      ))}
      {tools.length === 0 && (
        <p class="help">No tools yet. Add one to let the agent call your APIs.</p>
      )}
      <div class="form-actions">
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

function Tool(
  { id, tool, agentId, onChange, onRemove }: {
    id: string;
    tool: ToolDraft;
    agentId: string | undefined;
    onChange: (tool: ToolDraft) => void;
    onRemove: () => void;
  },
) {
  const Fields = tool.type === "http" ? HttpToolFields : McpToolFields;
  const name = String(tool.name ?? "") || "unnamed";
  return (
    <details class="tool" id={id}>
      <summary>
        <code>{name}</code>
        <span class="help">{toolAddress(tool)}</span>
      </summary>
      <div class="stack">
        <Fields id={id} tool={tool} onChange={onChange} />
        <ToolTest tool={tool} agentId={agentId} />
        <div>
          <button
            type="button"
            class="button button-small"
            aria-label={`Remove tool ${name}`}
            onClick={onRemove}
          >
            Remove tool
          </button>
        </div>
      </div>
    </details>
  );
}

function toolAddress({ type, url, request }: ToolDraft): string {
  return type === "http" ? `${request?.method ?? ""} ${request?.url ?? ""}` : `MCP ${url ?? ""}`;
}
