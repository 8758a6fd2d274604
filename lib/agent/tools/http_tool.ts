import type { Egress } from "../../egress/egress.ts";
import type { EgressCall } from "../../egress/egress_error.ts";
import { type ToolDefinition, toolUrl } from "../../wire/tool_definition.ts";
import { httpFailure, readAnswer } from "./read_answer.ts";
import type { Redactor } from "./redactor.ts";
import { renderRequest } from "./render_request.ts";
import { lookupIn } from "./template.ts";
import { ToolFailure } from "./tool_failure.ts";
import { type FindSecret, secretsFor } from "./tool_secrets.ts";

export type HttpTool = Extract<ToolDefinition, { type: "http" }>;

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

/** What every tool of a run reaches the world through. */
export interface ToolWorld {
  egress: Pick<Egress, "fetch" | "open">;
  secret: FindSecret;
  /** Whose run it is, and on which agent's behalf; a draft that is not stored has no id. */
  tenant: string;
  agentId?: string | undefined;
  allowedDomains: readonly string[];
  redactor: Redactor;
  record: (call: EgressCall) => void;
}

/**
 * Makes one call of an HTTP tool; `args` match its schema. Answers `{ status, body }`; throws a
 * `ToolFailure` or an `EgressError`. The caller takes the secrets out of either.
 */
export async function callHttpTool(
  tool: HttpTool,
  args: Readonly<Record<string, unknown>>,
  { world, signal }: { world: ToolWorld; signal: AbortSignal },
): Promise<{ status: number; body: unknown }> {
  const { egress, secret: find, redactor, tenant, agentId, allowedDomains, record } = world;
  const url = toolUrl(tool);
  if (url === undefined) throw new ToolFailure("tool_unreachable", "the tool's URL is not valid");
  const secrets = await secretsFor(tool.request, { url, find, redactor, agentId });
  const answer = await egress.fetch({
    ...renderRequest(tool.request, lookupIn(args, secrets)),
    tenant,
    allowedDomains,
    record,
    signal,
    timeoutMs: tool.timeoutMs ?? TIMEOUT_MS,
    maxResponseBytes: tool.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    holdsSecret: (text) => redactor.holds(text),
  });
  const raw = { ...answer, contentType: answer.headers["content-type"] ?? "" };
  const clean = (text: string) => redactor.text(text);
  if (answer.status >= 200 && answer.status < 300) return readAnswer(raw, clean);
  throw httpFailure(raw, { clean, longestSecret: redactor.longest });
}
