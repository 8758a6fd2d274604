import type { Egress } from "../../../egress/egress.ts";
import type { EgressCall } from "../../../egress/egress_error.ts";
import { type ToolDefinition, toolUrl } from "../../../schemas/tool_definition.ts";
import { httpError, parseResponse } from "./parse_response.ts";
import type { Redactor } from "../redactor.ts";
import { renderRequest } from "./render_request.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";
import { type FindSecret, resolveSecrets } from "../tool_secrets.ts";

export type HttpTool = Extract<ToolDefinition, { type: "http" }>;

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/** What every tool of a run reaches the world through. */
export interface ToolContext {
  egress: Pick<Egress, "fetch" | "open">;
  findSecret: FindSecret;
  /** Whose run it is, and on which agent's behalf; a draft that is not stored has no id. */
  tenant: string;
  agentId?: string | undefined;
  allowedDomains: readonly string[];
  redactor: Redactor;
  recordCall: (call: EgressCall) => void;
}

/**
 * Makes one call of an HTTP tool; `args` match its schema. Answers `{ status, body }`; throws a
 * `ToolError` or an `EgressError`. The caller takes the secrets out of either.
 */
export async function callHttpTool(
  tool: HttpTool,
  args: Readonly<Record<string, unknown>>,
  { world, signal }: { world: ToolContext; signal: AbortSignal },
): Promise<{ status: number; body: unknown }> {
  const { egress, findSecret: find, redactor, tenant, agentId, allowedDomains, recordCall } = world;
  const url = toolUrl(tool);
  if (url === undefined) throw new ToolError("tool_unreachable", "the tool's URL is not valid");
  const secrets = await resolveSecrets(tool.request, { url, find, redactor, agentId });
  const answer = await egress.fetch({
    ...renderRequest(tool.request, createLookup(args, secrets)),
    tenant,
    allowedDomains,
    onCall: recordCall,
    signal,
    timeoutMs: tool.timeoutMs ?? TIMEOUT_MS,
    maxResponseBytes: tool.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    containsSecret: (text) => redactor.containsSecret(text),
  });
  const raw = { ...answer, contentType: answer.headers["content-type"] ?? "" };
  const clean = (text: string) => redactor.redactText(text);
  if (answer.status >= 200 && answer.status < 300) return parseResponse(raw, clean);
  throw httpError(raw, { clean, longestSecret: redactor.longestLength });
}
