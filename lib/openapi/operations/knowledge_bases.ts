import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, type Operation } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const common = { tag: "Knowledge bases", rateLimited: true } as const;
const base = json("KnowledgeBase", EXAMPLES.knowledgeBase);

export const KNOWLEDGE_BASE_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listKnowledgeBases",
    method: "GET",
    path: "/v1/knowledge-bases",
    summary: "List knowledge bases",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [ok("One page.", json("KnowledgeBasePage", { data: [EXAMPLES.knowledgeBase] }))],
    errors: ["schema_validation_failed"],
  },
  {
    ...common,
    id: "createKnowledgeBase",
    method: "POST",
    path: "/v1/knowledge-bases",
    summary: "Create a knowledge base",
    description: "It is empty: add documents, and set its id as an agent's `knowledgeBaseId`. A " +
      "tenant may have 100, unless its plan says otherwise.",
    auth: write,
    idempotent: true,
    body: {
      schema: "KnowledgeBaseBody",
      example: { name: EXAMPLES.knowledgeBase.name, language: EXAMPLES.knowledgeBase.language },
    },
    responses: [created("The knowledge base.", base)],
    errors: ["quota_exceeded"],
  },
  {
    ...common,
    id: "getKnowledgeBase",
    method: "GET",
    path: "/v1/knowledge-bases/{id}",
    summary: "Read a knowledge base",
    auth: read,
    parameters: ["knowledgeBaseId"],
    responses: [ok("The knowledge base.", base)],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "updateKnowledgeBase",
    method: "PATCH",
    path: "/v1/knowledge-bases/{id}",
    summary: "Change a knowledge base",
    description: "An empty `description` removes it, and so does a `language` of `null`.",
    auth: write,
    parameters: ["knowledgeBaseId"],
    body: { schema: "KnowledgeBasePatch", example: { name: "Returns" } },
    responses: [ok("The changed knowledge base.", base)],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "deleteKnowledgeBase",
    method: "DELETE",
    path: "/v1/knowledge-bases/{id}",
    summary: "Delete a knowledge base",
    description: "Deletes its documents and everything extracted from them. Agents that use it " +
      "keep its id and continue to work, but find no passages.",
    auth: write,
    parameters: ["knowledgeBaseId"],
    responses: [noContent("The knowledge base is deleted.")],
    errors: ["not_found", "payload_too_large"],
  },
  {
    ...common,
    id: "searchKnowledgeBase",
    method: "POST",
    path: "/v1/knowledge-bases/{id}/search",
    summary: "Search a knowledge base",
    description:
      "The same search as an agent's `search_knowledge`: by words, and by meaning if the " +
      "operator has configured a model for it.",
    auth: read,
    parameters: ["knowledgeBaseId"],
    body: { schema: "SearchBody", example: { query: "How long may I return a book?", limit: 3 } },
    responses: [
      ok("Passages, best match first.", json("Passages", { passages: [EXAMPLES.passage] })),
    ],
    errors: ["not_found"],
  },
];
