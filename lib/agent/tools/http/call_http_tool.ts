import { type ToolDefinition, toolUrl } from "../../../schemas/tool_definition.ts";
import type { ToolContext } from "../callable_tool.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";
import { resolveSecrets } from "../tool_secrets.ts";
import { httpError, parseResponse } from "./parse_response.ts";
import { renderRequest } from "./render_request.ts";

export type HttpTool = Extract<ToolDefinition, { type: "http" }>;

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/**
 * Calls an HTTP tool with arguments that match its schema. Returns `{ status, body }` or throws a
 * `ToolError` or an `EgressError`; the caller redacts secrets in all of them.
 */
export async function callHttpTool(
  tool: HttpTool,
  args: Readonly<Record<string, unknown>>,
  { context, signal }: { context: ToolContext; signal: AbortSignal },
): Promise<{ status: number; body: unknown }> {
  const { egress, redactor, tenant, allowedDomains, recordCall } = context;
  const url = toolUrl(tool);
  if (url === undefined) throw new ToolError("tool_unreachable", "the tool's URL is not valid");
  const secrets = await resolveSecrets(tool.request, url, context);
  const response = await egress.fetch({
    ...renderRequest(tool.request, createLookup(args, secrets)),
    tenant,
    allowedDomains,
    onCall: recordCall,
    signal,
    timeoutMs: tool.timeoutMs ?? TIMEOUT_MS,
    maxResponseBytes: tool.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    containsSecret: (text) => redactor.containsSecret(text),
  });
  const raw = { ...response, contentType: response.headers["content-type"] ?? "" };
  if (response.status >= 200 && response.status < 300) return parseResponse(raw, redactor);
  throw httpError(raw, redactor);
}
