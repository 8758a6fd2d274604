import { ApiError } from "../../schemas/api_error.ts";
import type { QuotaName } from "../../schemas/limits.ts";

/** Quotas as the interface and people call them; `one` of what is counted, absent for bytes. */
const QUOTAS: Readonly<Record<QuotaName, { code: string; of: string; one?: string }>> = {
  agents: { code: "agents", of: "agents", one: "agent" },
  agentVersions: { code: "agent_versions", of: "versions of an agent", one: "version of an agent" },
  agentBytes: { code: "agent_bytes", of: "agents and their versions" },
  knowledgeBases: { code: "knowledge_bases", of: "knowledge bases", one: "knowledge base" },
  knowledgeBytes: { code: "knowledge_bytes", of: "knowledge" },
  conversationRuns: {
    code: "conversation_runs",
    of: "messages in conversations",
    one: "message in conversations",
  },
  conversationBytes: { code: "conversation_bytes", of: "conversations" },
};

export interface QuotaExcess {
  used: number;
  limit: number;
  /** What was to be added, where that is bytes. */
  requested: number;
}

/** Why something does not fit into a plan, in one sentence. */
export function quotaMessage(name: QuotaName, { used, limit, requested }: QuotaExcess): string {
  const { of, one } = QUOTAS[name];
  if (one !== undefined) {
    const is = used === 1 ? "is" : "are";
    return `the plan allows ${formatNumber(limit)} ${limit === 1 ? one : of}, and there ${is} ${
      formatNumber(used)
    }`;
  }
  return `the plan allows ${formatNumber(limit)} bytes of ${of}: ${
    formatNumber(used)
  } are in use, and ` +
    `${formatNumber(requested)} more were requested`;
}

/** The 403 of what the plan has no room for. */
export function quotaExceededError(name: QuotaName, refusal: QuotaExcess): ApiError {
  const { code, one } = QUOTAS[name];
  const { used, limit, requested } = refusal;
  const details = { quota: code, used, limit, ...(one === undefined && { requested }) };
  return new ApiError("quota_exceeded", quotaMessage(name, refusal), { details });
}

function formatNumber(n: number): string {
  return n.toLocaleString("en");
}
