import { EXAMPLES } from "../examples.ts";
import type { Operation } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const common = { tag: "Knowledge bases", rateLimited: true } as const;
const document = {
  type: "application/json",
  schema: "Document",
  example: EXAMPLES.document,
} as const;

export const DOCUMENT_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listDocuments",
    method: "GET",
    path: "/v1/knowledge-bases/{id}/documents",
    summary: "List documents",
    description: "Newest first, page by page.",
    auth: read,
    parameters: ["knowledgeBaseId", "limit", "cursor"],
    responses: [{
      status: 200,
      description: "One page.",
      content: {
        type: "application/json",
        schema: "DocumentPage",
        example: { data: [EXAMPLES.document] },
      },
    }],
    errors: ["schema_validation_failed", "not_found"],
  },
  {
    ...common,
    id: "createDocument",
    method: "POST",
    path: "/v1/knowledge-bases/{id}/documents",
    summary: "Add a document",
    description:
      "Text, Markdown or HTML as JSON, or a file, which may be a PDF too, as a form; at " +
      "most 20 MiB. It is read after the answer: `state` goes from `processing` to `ready` or " +
      "`failed`, usually within seconds. A knowledge base takes 1,000 documents, 10,000 passages " +
      "and 512 MiB; past them this is a 400. What does not fit into the plan is a 403.",
    auth: write,
    idempotent: true,
    parameters: ["knowledgeBaseId"],
    body: {
      schema: "DocumentBody",
      form: "DocumentForm",
      example: {
        title: EXAMPLES.document.title,
        content: "# Returns\n\n## Deadlines\n\nYou may return any book within 30 days.",
        mediaType: "text/markdown",
      },
    },
    responses: [{
      status: 201,
      description: "The document, not read yet.",
      headers: ["Location"],
      content: { ...document, example: { ...EXAMPLES.document, state: "processing" } },
    }],
    errors: ["not_found", "quota_exceeded"],
  },
  {
    ...common,
    id: "getDocument",
    method: "GET",
    path: "/v1/knowledge-bases/{id}/documents/{documentId}",
    summary: "Read a document's state",
    auth: read,
    parameters: ["knowledgeBaseId", "documentId"],
    responses: [{ status: 200, description: "The document.", content: document }],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "deleteDocument",
    method: "DELETE",
    path: "/v1/knowledge-bases/{id}/documents/{documentId}",
    summary: "Delete a document",
    description: "Removes what was sent and all that was made of it.",
    auth: write,
    parameters: ["knowledgeBaseId", "documentId"],
    responses: [{ status: 204, description: "It is gone." }],
    errors: ["not_found", "payload_too_large"],
  },
];
