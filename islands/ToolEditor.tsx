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
  /** A JSON array; whatever else it is stays in the JSON view. */
  value: string;
  readOnly: boolean;
}

/**
 * An agent's tools as a form over their JSON. The JSON's own control is what the form sends, with and
 * without scripts; the form only ever writes into it.
 */
export default function ToolEditor({ attributes, value, readOnly }: ToolEditorProps) {
  const [ready, setReady] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const [text, setText] = useState(() => restoredValue(attributes.id) ?? value);
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const written = useRef(text);
  useEffect(() => setReady(true), []);
  // Before anything else can happen: told later, it would take back a change that came meanwhile.
  useLayoutEffect(() => {
    if (written.current === text) return;
    written.current = text;
    area.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [text]);
  const tools = parseTools(text);
  const asForm = ready && !readOnly && !asJson && tools !== undefined;
  useEffect(() => {
    // The JSON had the focus, as what a refusal was about, and has just been hidden.
    if (asForm && attributes.autofocus) list.current?.querySelector("summary")?.focus();
  }, [asForm]);
  return (
    // A link to the field leads to whichever of its two faces is shown.
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
            <span class="help">The form shows it once it is an array of tools.</span>
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
          onChange={(next) => setText(JSON.stringify(next, null, 2))}
        />
      )}
    </div>
  );
}

/** A browser that comes back to the page has put in what was typed there. */
function restoredValue(id: string): string | undefined {
  if (!IS_BROWSER) return undefined;
  const area = document.getElementById(id);
  return area instanceof HTMLTextAreaElement ? area.value : undefined;
}

function ToolList(
  { tools, onChange }: { tools: ToolDraft[]; onChange: (tools: ToolDraft[]) => void },
) {
  const add = useRef<HTMLButtonElement>(null);
  /** Opened, with the focus where one begins to type. */
  function addTool(tool: ToolDraft) {
    onChange([...tools, tool]);
    focusAfterRender(() => {
      const fold = document.getElementById(`tool-${tools.length}`) as HTMLDetailsElement | null;
      if (fold !== null) fold.open = true;
      return document.getElementById(`tool-${tools.length}-name`);
    });
  }
  /** The button that had the focus goes: the next tool gets it, or the one before. */
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
          onChange={(next) => onChange(tools.with(n, next))}
          onRemove={() => remove(n)}
        />
      ))}
      {tools.length === 0 && <p class="help">No tools: the agent answers from what it knows.</p>}
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
  { id, tool, onChange, onRemove }: {
    id: string;
    tool: ToolDraft;
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
        <ToolTest tool={tool} />
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
