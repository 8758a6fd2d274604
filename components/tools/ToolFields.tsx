import {
  formatPairs,
  parsePairs,
  type ToolDraft,
  withChange,
} from "@/lib/dashboard/agents/tool_draft.ts";
import { JsonInput, LabelledInput } from "./LabelledInput.tsx";
import { ParameterRows } from "./ParameterRows.tsx";

export interface ToolFieldsProps {
  /** Begins the ids of its controls. */
  id: string;
  tool: ToolDraft;
  onChange: (tool: ToolDraft) => void;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const SECRET = "{{secret.NAME}}";
const BODY_HELP =
  "JSON; nothing is sent when it is empty. Where a Content-Type header says form, " +
  "XML or plain text, a JSON string is sent as that text.";

/** The fields of one HTTP tool. */
export function HttpToolFields({ id, tool, onChange }: ToolFieldsProps) {
  const request = tool.request ?? {};
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  const setRequest = (change: object) => set({ request: withChange(request, change) });
  return (
    <>
      <LabelledInput
        id={`${id}-name`}
        label="Tool name"
        mono
        value={tool.name}
        help="Letters, digits, - and _; the model calls it by this."
        onCommit={(name) => set({ name: name.trim() })}
      />
      <LabelledInput
        id={`${id}-description`}
        label="Description"
        kind="lines"
        value={tool.description}
        help="What it does and when to use it: the model decides by these words."
        onCommit={(description) => set({ description })}
      />
      <div class="request-line">
        <div class="field">
          <label for={`${id}-method`}>Method</label>
          <select
            id={`${id}-method`}
            onChange={({ currentTarget }) => setRequest({ method: currentTarget.value })}
          >
            {METHODS.map((method) => (
              <option key={method} selected={method === request.method}>{method}</option>
            ))}
          </select>
        </div>
        <LabelledInput
          id={`${id}-url`}
          label="Address"
          mono
          value={request.url}
          onCommit={(url) => setRequest({ url: url.trim() })}
        />
      </div>
      <ParameterRows
        id={`${id}-parameters`}
        schema={tool.parameters}
        onChange={(parameters) => set({ parameters })}
      />
      <details class="more">
        <summary>Query, headers, body and limits</summary>
        <div class="stack">
          <PairsInput
            id={`${id}-query`}
            label="Query"
            value={request.query}
            onCommit={(query) => setRequest({ query })}
          />
          <PairsInput
            id={`${id}-headers`}
            label="Headers"
            value={request.headers}
            onCommit={(headers) => setRequest({ headers })}
          />
          <JsonInput
            id={`${id}-body`}
            label="Body"
            value={request.body}
            help={BODY_HELP}
            onCommit={(body) => setRequest({ body })}
          />
          <div class="columns">
            <LabelledInput
              id={`${id}-timeout`}
              label="Time, in milliseconds"
              kind="number"
              value={tool.timeoutMs}
              placeholder="10000"
              onCommit={(ms) => set({ timeoutMs: toNumber(ms) })}
            />
            <LabelledInput
              id={`${id}-bytes`}
              label="Longest answer, in bytes"
              kind="number"
              value={tool.maxResponseBytes}
              placeholder="65536"
              onCommit={(bytes) => set({ maxResponseBytes: toNumber(bytes) })}
            />
          </div>
        </div>
      </details>
    </>
  );
}

/** The fields of one MCP server. */
export function McpToolFields({ id, tool, onChange }: ToolFieldsProps) {
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  const allow = Array.isArray(tool.allow) ? tool.allow.join("\n") : "";
  return (
    <>
      <LabelledInput
        id={`${id}-name`}
        label="Server name"
        mono
        value={tool.name}
        onCommit={(name) => set({ name: name.trim() })}
      />
      <LabelledInput
        id={`${id}-url`}
        label="Address"
        mono
        value={tool.url}
        help="Of its Streamable HTTP endpoint."
        onCommit={(url) => set({ url: url.trim() })}
      />
      <PairsInput
        id={`${id}-headers`}
        label="Headers"
        value={tool.headers}
        onCommit={(headers) => set({ headers })}
      />
      <LabelledInput
        id={`${id}-allow`}
        label="Tools the agent may use"
        kind="lines"
        mono
        value={allow}
        help="One name per line; with none, all that the server offers."
        onCommit={(text) => set({ allow: toNames(text) })}
      />
    </>
  );
}

function PairsInput(
  props: {
    id: string;
    label: string;
    value: unknown;
    onCommit: (pairs: Record<string, string> | undefined) => void;
  },
) {
  const { value, onCommit, ...field } = props;
  return (
    <LabelledInput
      {...field}
      kind="lines"
      mono
      value={formatPairs(value)}
      placeholder="name: value"
      help={
        <>
          One per line. <code>{SECRET}</code> puts in a secret that nobody gets to see.
        </>
      }
      onCommit={(text) => onCommit(parsePairs(text))}
    />
  );
}

function toNames(text: string): string[] | undefined {
  const names = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return names.length === 0 ? undefined : names;
}

function toNumber(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}
