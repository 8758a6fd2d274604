import { ApiError } from "../errors.ts";
import type { QuotaName } from "../wire/limits.ts";

/** Quotas as the interface and people call them. */
const QUOTAS: Readonly<Record<QuotaName, { code: string; of: string; isBytes?: true }>> = {
  agents: { code: "agents", of: "agents" },
  agentVersions: { code: "agent_versions", of: "versions of an agent" },
  agentBytes: { code: "agent_bytes", of: "agents and their versions", isBytes: true },
  knowledgeBases: { code: "knowledge_bases", of: "knowledge bases" },
  knowledgeBytes: { code: "knowledge_bytes", of: "knowledge", isBytes: true },
  conversationRuns: { code: "conversation_runs", of: "messages in conversations" },
  conversationBytes: { code: "conversation_bytes", of: "conversations", isBytes: true },
};

export interface QuotaRefusal {
  used: number;
  limit: number;
  /** What was to be added, where that is bytes. */
  requested: number;
}

/** Why something does not fit into a plan, in one sentence. */
export function quotaMessage(name: QuotaName, { used, limit, requested }: QuotaRefusal): string {
  const { of, isBytes } = QUOTAS[name];
  if (!isBytes) return `the plan allows ${number(limit)} ${of}, and there are ${number(used)}`;
  return `the plan allows ${number(limit)} bytes of ${of}: ${number(used)} are used, and ` +
    `${number(requested)} more were sent`;
}

/** The 403 of what the plan has no room for. */
export function quotaExceeded(name: QuotaName, refusal: QuotaRefusal): ApiError {
  const { code, isBytes } = QUOTAS[name];
  const { used, limit, requested } = refusal;
  const details = { quota: code, used, limit, ...(isBytes && { requested }) };
  return new ApiError("quota_exceeded", quotaMessage(name, refusal), { details });
}

function number(n: number): string {
  return n.toLocaleString("en");
}
