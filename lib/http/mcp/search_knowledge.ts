import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { parseOrThrow } from "../../schemas/api_error.ts";
import { searchKnowledgeInputSchema } from "../../schemas/mcp.ts";
import type { KnowledgeBase } from "../../schemas/knowledge.ts";
import { isUuid } from "../request_params.ts";
import type { Service } from "../service.ts";
import { toolErrorResult } from "./tool_result.ts";

/** Names that an error lists. */
const MAX_LISTED = 20;
const PAGE_LENGTH = 100;

/** Calls `search_knowledge`. Throws an `ApiError` for invalid arguments and an unknown id. */
export async function searchKnowledge(
  { knowledge }: Pick<Service, "knowledge">,
  { tenant, input }: { tenant: string; input: unknown },
): Promise<CallToolResult> {
  const { knowledgeBase, ...search } = parseOrThrow(searchKnowledgeInputSchema, input);
  const found = isUuid(knowledgeBase)
    ? knowledgeBase.toLowerCase()
    : await findByName(knowledge, { tenant, name: knowledgeBase });
  if (typeof found !== "string") return found;
  const passages = await knowledge.search({ tenant, base: found }, search);
  return {
    content: [{ type: "text", text: JSON.stringify({ passages }) }],
    structuredContent: { passages },
  };
}

/** The id of the only knowledge base with this name, or what is wrong with the name. */
async function findByName(
  knowledge: Service["knowledge"],
  { tenant, name }: { tenant: string; name: string },
): Promise<string | CallToolResult> {
  const bases = await listBases(knowledge, tenant);
  const wanted = name.trim().toLowerCase();
  const [base, second] = bases.filter((one) => one.name.trim().toLowerCase() === wanted);
  if (base !== undefined && second === undefined) return base.id;
  if (base !== undefined) {
    return toolErrorResult("several knowledge bases have this name; use the id of one");
  }
  const names = bases.slice(0, MAX_LISTED).map((one) => JSON.stringify(one.name)).join(", ");
  return toolErrorResult(
    bases.length === 0
      ? "there is no knowledge base"
      : `there is no such knowledge base; there are: ${names}`,
  );
}

/** At most a plan's quota, which is 1,000. */
async function listBases(
  knowledge: Service["knowledge"],
  tenant: string,
): Promise<KnowledgeBase[]> {
  const all: KnowledgeBase[] = [];
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await knowledge.list(tenant, { limit: PAGE_LENGTH, cursor });
    all.push(...data);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}
