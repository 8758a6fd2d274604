import { tryParseJson } from "../../../platform/json.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import { toolUrl } from "../../../schemas/tool_definition.ts";
import type { ToolCallContext, ToolContext } from "../callable_tool.ts";
import type { Redactor } from "../redactor.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";
import { resolveSecrets } from "../tool_secrets.ts";
import { type HttpTool, renderRequest } from "./render_request.ts";
import { repeatCall } from "./repeat_call.ts";

/** Set for each call of a run; no header of a tool may have these names. */
export const CALL_HEADERS = ["idempotency-key", "x-run-id"] as const;

const MAX_EXCERPT_LENGTH = 1_000;
const TEXTUAL =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml|javascript|x-ndjson)\b|application\/x-www-form)/i;
const JSON_LIKE = /\bjson\b/i;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/**
 * Calls an HTTP tool with arguments that match its schema. Returns `{ status, body }` or throws a
 * `ToolError` or an `EgressError`; the caller redacts secrets in all of them.
 */
export async function callHttpTool(
  tool: HttpTool,
  args: Readonly<Record<string, unknown>>,
  { context, call, runtime }: {
    context: ToolContext;
    call: ToolCallContext;
    runtime: Pick<Runtime, "now" | "sleep">;
  },
): Promise<{ status: number; body: unknown }> {
  const { egress, redactor, tenant, allowedDomains, recordCall, visitor } = context;
  const url = toolUrl(tool);
  if (url === undefined) throw new ToolError("tool_unreachable", "the tool's URL is not valid");
  const secrets = await resolveSecrets(tool.request, url, context);
  const rendered = renderRequest(tool.request, createLookup(args, { secrets, visitor }));
  const request = {
    ...rendered,
    headers: { ...callHeaders(call), ...rendered.headers },
    tenant,
    allowedDomains,
    onCall: recordCall,
    signal: call.signal,
    timeoutMs: tool.timeoutMs ?? TIMEOUT_MS,
    maxResponseBytes: tool.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    containsSecret: (text: string) => redactor.containsSecret(text),
  };
  const { idempotent = false } = tool;
  const response = await repeatCall(() => egress.fetch(request), { idempotent, runtime, call });
  const raw = { ...response, contentType: response.headers["content-type"] ?? "" };
  if (response.status >= 200 && response.status < 300) return parseResponse(raw, redactor);
  throw httpError(raw, redactor);
}

/**
 * Identifies the call to its server, which can answer a repeated one without doing it again. A header of
 * the same name wins: agents that were stored before these headers existed may depend on theirs.
 */
function callHeaders({ id, runId }: ToolCallContext): Record<string, string> {
  return {
    ...id !== undefined && { [CALL_HEADERS[0]]: id },
    ...runId !== undefined && { [CALL_HEADERS[1]]: runId },
  };
}

type RawResponse = { status: number; contentType: string; body: Uint8Array; truncated: boolean };

/**
 * The response for the model: JSON parsed, text as text, anything else as its type and size. The content
 * type is redacted before it is cut, because a server may echo a secret in it.
 */
function parseResponse(
  response: RawResponse,
  redactor: Redactor,
): { status: number; body: unknown } {
  const { status, contentType, body } = response;
  if (contentType !== "" && !TEXTUAL.test(contentType)) {
    const type = redactor.redactText(contentType).slice(0, 100);
    return { status, body: `(${type}, ${body.length} bytes)` };
  }
  const text = decode(response);
  if (!JSON_LIKE.test(contentType)) return { status, body: text };
  const value = tryParseJson(text);
  return { status, body: value === undefined || isTooDeep(value) ? text : value };
}

/**
 * The error for a status other than 2xx, with an excerpt of the body. Secrets are redacted before the
 * excerpt is cut; a truncated body may end inside a secret, so that many characters are dropped.
 */
function httpError(response: RawResponse, redactor: Redactor): ToolError {
  const contentType = JSON_LIKE.test(response.contentType) ? "text/plain" : response.contentType;
  const { body } = parseResponse({ ...response, contentType }, redactor);
  const text = typeof body === "string" ? body : "";
  const end = response.truncated ? Math.max(0, text.length - redactor.longestLength) : text.length;
  const excerpt = redactor.redactText(text.slice(0, end)).replace(/\s+/g, " ").trim()
    .slice(0, MAX_EXCERPT_LENGTH).toWellFormed();
  const suffix = excerpt === "" ? "" : `: ${excerpt}`;
  return new ToolError("tool_http_error", `the server answered ${response.status}${suffix}`);
}

function decode({ contentType, body }: RawResponse): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
