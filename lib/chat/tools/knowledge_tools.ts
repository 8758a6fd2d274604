import { searchKnowledgeTool } from "../../agent/tools/search_knowledge_tool.ts";
import type { CallableTool } from "../../agent/tools/callable_tool.ts";
import type { ToolsetRequest } from "../../agent/tools/toolset_factory.ts";
import type { KnowledgeSearch } from "../../knowledge/search/knowledge_search.ts";

/** `search_knowledge` for an agent that has a knowledge base, and nothing for any other. */
export function knowledgeTools(
  search: Pick<KnowledgeSearch, "search">,
  { tenant, agent, source, rerank, onCoverage }: ToolsetRequest,
): CallableTool[] {
  const { id, knowledgeBaseId } = agent;
  if (knowledgeBaseId === undefined) return [];
  const base = { tenant, base: knowledgeBaseId };
  const caller = id === undefined || source === undefined ? undefined : { agentId: id, source };
  return [
    searchKnowledgeTool(
      (query, signal) =>
        search.search(base, { ...query, ...caller && { caller }, onCoverage, signal }),
      rerank,
    ),
  ];
}
