import {
  formatPairs,
  parsePairs,
  type ToolDraft,
  withChange,
} from "@/lib/dashboard/agents/tool_draft.ts";
import { problemsAt } from "@/lib/dashboard/agents/tool_problem.ts";
import { CallFields, ShownTexts, type ToolFieldsProps } from "./CallFields.tsx";
import { JsonInput, LabelledInput } from "./LabelledInput.tsx";
import { NameFields } from "./NameFields.tsx";
import { ParameterRows } from "./ParameterRows.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Paths of the fields that are folded away. */
const FOLDED = [
  "request.query",
  "request.headers",
  "request.body",
  "timeoutMs",
  "maxResponseBytes",
];
const SECRET = "{{secret.NAME}}";
const BODY_HELP = msg(
  "JSON, or empty for no body. With a Content-Type header of form data, XML or plain text, a JSON string is sent as that text.",
);

/** The fields of one HTTP tool. */
export function HttpToolFields({ id, tool, problems, onChange }: ToolFieldsProps) {
  const issue = (path: string) => ({ issue: problemsAt(problems, path) });
  const request = tool.request ?? {};
  const hasHiddenProblem = FOLDED.some((path) => problemsAt(problems, path) !== undefined);
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  const setRequest = (change: object) => set({ request: withChange(request, change) });
  return (
    <>
      <NameFields {...{ id, tool, problems, onChange }} />
      <ShownTexts {...{ id, tool, problems, onChange }} />
      <div class="request-line">
        <div class="field">
          <label for={`${id}-method`}>{t("Method")}</label>
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
          {...issue("request.url")}
          label={t("URL")}
          mono
          value={request.url}
          onCommit={(url) => setRequest({ url: url.trim() })}
        />
      </div>
      <ParameterRows
        id={`${id}-parameters`}
        issue={problemsAt(problems, "parameters")}
        schema={tool.parameters}
        onChange={(parameters) => set({ parameters })}
      />
      <CallFields {...{ id, tool, problems, onChange }} />
      <details class="more" open={hasHiddenProblem}>
        <summary>{t("Query, headers, body and limits")}</summary>
        <div class="stack">
          <PairsInput
            id={`${id}-query`}
            {...issue("request.query")}
            label={t("Query")}
            value={request.query}
            onCommit={(query) => setRequest({ query })}
          />
          <PairsInput
            id={`${id}-headers`}
            {...issue("request.headers")}
            label={t("Headers")}
            value={request.headers}
            onCommit={(headers) => setRequest({ headers })}
          />
          <JsonInput
            id={`${id}-body`}
            {...issue("request.body")}
            label={t("Body")}
            value={request.body}
            help={BODY_HELP}
            onCommit={(body) => setRequest({ body })}
          />
          <div class="columns">
            <LabelledInput
              id={`${id}-timeout`}
              {...issue("timeoutMs")}
              label={t("Timeout, in milliseconds")}
              kind="number"
              value={tool.timeoutMs}
              placeholder="10000"
              onCommit={(ms) => set({ timeoutMs: toNumber(ms) })}
            />
            <LabelledInput
              id={`${id}-bytes`}
              {...issue("maxResponseBytes")}
              label={t("Max response size, in bytes")}
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
export function McpToolFields({ id, tool, problems, onChange }: ToolFieldsProps) {
  const issue = (path: string) => ({ issue: problemsAt(problems, path) });
  const set = (change: Partial<ToolDraft>) => onChange(withChange(tool, change));
  const allow = Array.isArray(tool.allow) ? tool.allow.join("\n") : "";
  return (
    <>
      <LabelledInput
        id={`${id}-name`}
        {...issue("name")}
        label={t("Server name")}
        mono
        value={tool.name}
        onCommit={(name) => set({ name: name.trim() })}
      />
      <LabelledInput
        id={`${id}-url`}
        {...issue("url")}
        label={t("URL")}
        mono
        value={tool.url}
        help={t("The server's Streamable HTTP endpoint.")}
        onCommit={(url) => set({ url: url.trim() })}
      />
      <PairsInput
        id={`${id}-headers`}
        {...issue("headers")}
        label={t("Headers")}
        value={tool.headers}
        onCommit={(headers) => set({ headers })}
      />
      <LabelledInput
        id={`${id}-allow`}
        {...issue("allow")}
        label={t("Allowed tools")}
        kind="lines"
        mono
        value={allow}
        help={t("One name per line. Leave blank to allow all tools of the server.")}
        onCommit={(text) => set({ allow: toNames(text) })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={tool.resources === true}
          onChange={({ currentTarget }) => set({ resources: currentTarget.checked || undefined })}
        />
        <span>{t("The model may list and read the server's resources")}</span>
      </label>
      <ShownTexts {...{ id, tool, problems, onChange }} />
      <CallFields {...{ id, tool, problems, onChange }} />
    </>
  );
}

function PairsInput(
  props: {
    id: string;
    label: string;
    value: unknown;
    issue: string | undefined;
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
      placeholder={t("name: value")}
      help={
        <>{rich("One per line. Use {code} to insert a secret.", { code: <code>{SECRET}</code> })}</>
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
