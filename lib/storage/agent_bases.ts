import type { AgentRecord } from "./agent_record.ts";
import { keys } from "./keys.ts";

/** Adds to `change` what tells that `now` answers from its knowledge base, as `before` did from its own. */
export function updateBaseIndex(
  change: Deno.AtomicOperation,
  tenant: string,
  { before, now }: { before?: AgentRecord; now?: AgentRecord },
): void {
  const [old, fresh] = [before, now].map((record) => record && baseIndexKey(tenant, record));
  if (old !== undefined) change.delete(old);
  if (fresh !== undefined && now !== undefined) change.set(fresh, now.id);
}

function baseIndexKey(
  tenant: string,
  { id, createdAt, body }: AgentRecord,
): Deno.KvKey | undefined {
  const { knowledgeBaseId } = body;
  if (knowledgeBaseId === undefined) return undefined;
  return keys.agentByBase(tenant, knowledgeBaseId, { at: createdAt, id });
}
