import { EXAMPLES } from "../examples.ts";
import type { Operation } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const common = { tag: "Knowledge bases", rateLimited: true } as const;
const base = {
  type: "application/json",
  schema: "KnowledgeBase",
  example: EXAMPLES.knowledgeBase,
} as const;

export const KNOWLEDGE_BASE_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listKnowledgeBases",
    method: "GET",
    path: "/v1/knowledge-bases",
    summary: "List knowledge bases",
    description: "Newest first, page by page.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [{
      status: 200,
      description: "One page.",
      content: {
        type: "application/json",
        schema: "KnowledgeBasePage",
        example: { data: [EXAMPLES.knowledgeBase] },
      },
    }],
    errors: ["schema_validation_failed"],
  },
  {
    ...common,
    id: "createKnowledgeBase",
    method: "POST",
    path: "/v1/knowledge-bases",
    summary: "Create a knowledge base",
    description: "It is empty; add documents to it, and name it as an agent's `knowledgeBaseId`. " +
      "The plan says how many a tenant may have: 100, unless it is set differently.",
    auth: write,
    idempotent: true,
    body: {
      schema: "KnowledgeBaseBody",
      example: { name: EXAMPLES.knowledgeBase.name, language: EXAMPLES.knowledgeBase.language },
    },
    responses: [{
      status: 201,
      description: "The knowledge base.",
      headers: ["Location"],
      content: base,
    }],
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
    responses: [{ status: 200, description: "The knowledge base.", content: base }],
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
    responses: [{ status: 200, description: "The knowledge base as it is now.", content: base }],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "deleteKnowledgeBase",
    method: "DELETE",
    path: "/v1/knowledge-bases/{id}",
    summary: "Delete a knowledge base",
    description:
      "Removes its documents with all that was made of them. Agents that name it go on, " +
      "find nothing in it, and keep its id until they are given another.",
    auth: write,
    parameters: ["knowledgeBaseId"],
    responses: [{ status: 204, description: "It is gone." }],
    errors: ["not_found", "payload_too_large"],
  },
  {
    ...common,
    id: "searchKnowledgeBase",
    method: "POST",
    path: "/v1/knowledge-bases/{id}/search",
    summary: "Search a knowledge base",
    description: "What an agent's `search_knowledge` finds: passages that fit the query by their " +
      "words, and by their meaning where the operator has set up a model for it.",
    auth: read,
    parameters: ["knowledgeBaseId"],
    body: { schema: "SearchBody", example: { query: "How long may I return a book?", limit: 3 } },
    responses: [{
      status: 200,
      description: "Passages, best first.",
      content: {
        type: "application/json",
        schema: "Passages",
        example: { passages: [EXAMPLES.passage] },
      },
    }],
    errors: ["not_found"],
  },
];
