import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, type Operation } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const common = { tag: "Knowledge bases", rateLimited: true } as const;

export const DOCUMENT_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "listDocuments",
    method: "GET",
    path: "/v1/knowledge-bases/{id}/documents",
    summary: "List documents",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["knowledgeBaseId", "limit", "cursor"],
    responses: [ok("One page.", json("DocumentPage", { data: [EXAMPLES.document] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  {
    ...common,
    id: "createDocument",
    method: "POST",
    path: "/v1/knowledge-bases/{id}/documents",
    summary: "Add a document",
    description: "Send text, Markdown or HTML as JSON, or a file, including PDF, as a form; at " +
      "most 20 MiB. It is processed after the response: `state` changes from `processing` to " +
      "`ready` or `failed`, usually within seconds. A knowledge base holds up to 1,000 documents, " +
      "10,000 passages and 512 MiB; above that this is a 400. Exceeding the plan is a 403.",
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
    responses: [
      created(
        "The document, before processing.",
        json("Document", { ...EXAMPLES.document, state: "processing" }),
      ),
    ],
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
    responses: [ok("The document.", json("Document", EXAMPLES.document))],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "deleteDocument",
    method: "DELETE",
    path: "/v1/knowledge-bases/{id}/documents/{documentId}",
    summary: "Delete a document",
    description: "Deletes the file and everything extracted from it.",
    auth: write,
    parameters: ["knowledgeBaseId", "documentId"],
    responses: [noContent("The document is deleted.")],
    errors: ["not_found", "payload_too_large"],
  },
];
