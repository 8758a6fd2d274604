import { ApiError } from "../../schemas/api_error.ts";
import type { QuotaName } from "../../schemas/limits.ts";

/** The code and the name of each quota; `one` is the singular, absent for bytes. */
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
  attachmentBytes: { code: "attachment_bytes", of: "attachments" },
  users: { code: "users", of: "users and invitations", one: "user or invitation" },
  apiKeys: { code: "api_keys", of: "API keys", one: "API key" },
  toolSecrets: { code: "secrets", of: "secrets", one: "secret" },
  testSets: { code: "test_sets", of: "test sets", one: "test set" },
};

export interface QuotaExcess {
  used: number;
  limit: number;
  /** The bytes to be added; unused for counted quotas. */
  requested: number;
}

/** Why something exceeds a plan, in one sentence. */
export function quotaMessage(name: QuotaName, { used, limit, requested }: QuotaExcess): string {
  const { of, one } = QUOTAS[name];
  if (one !== undefined) {
    const counted = limit === 1 ? one : of;
    const is = used === 1 ? "is" : "are";
    return `the plan allows ${format(limit)} ${counted}, and there ${is} ${format(used)}`;
  }
  return `the plan allows ${format(limit)} bytes of ${of}: ${format(used)} are in use, and ` +
    `${format(requested)} more were requested`;
}

/** The 403 for what exceeds a plan. */
export function quotaExceededError(name: QuotaName, excess: QuotaExcess): ApiError {
  const { code, one } = QUOTAS[name];
  const { used, limit, requested } = excess;
  const details = { quota: code, used, limit, ...(one === undefined && { requested }) };
  return new ApiError("quota_exceeded", quotaMessage(name, excess), { details });
}

function format(n: number): string {
  return n.toLocaleString("en");
}
