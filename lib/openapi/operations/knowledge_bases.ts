import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const base = json("KnowledgeBase", EXAMPLES.knowledgeBase);

export const KNOWLEDGE_OPERATIONS = operations({ tag: "Knowledge bases", rateLimited: true }, {
  "GET /v1/knowledge-bases": {
    id: "listKnowledgeBases",
    summary: "List knowledge bases",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["limit", "cursor"],
    responses: [ok("One page.", json("KnowledgeBasePage", { data: [EXAMPLES.knowledgeBase] }))],
    errors: ["schema_validation_failed"],
  },
  "POST /v1/knowledge-bases": {
    id: "createKnowledgeBase",
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
  "GET /v1/knowledge-bases/{id}": {
    id: "getKnowledgeBase",
    summary: "Read a knowledge base",
    auth: read,
    parameters: ["knowledgeBaseId"],
    responses: [ok("The knowledge base.", base)],
    errors: ["not_found"],
  },
  "PATCH /v1/knowledge-bases/{id}": {
    id: "updateKnowledgeBase",
    summary: "Change a knowledge base",
    description: "An empty `description` removes it, and so does a `language` of `null`.",
    auth: write,
    parameters: ["knowledgeBaseId", "ifMatchBase"],
    body: { schema: "KnowledgeBasePatch", example: { name: "Returns" } },
    responses: [ok("The changed knowledge base.", base)],
    errors: ["not_found", "version_conflict"],
  },
  "DELETE /v1/knowledge-bases/{id}": {
    id: "deleteKnowledgeBase",
    summary: "Delete a knowledge base",
    description: "Deletes its documents and everything extracted from them. Agents that use it " +
      "keep its id and continue to work, but find no passages.",
    auth: write,
    parameters: ["knowledgeBaseId", "ifMatchBase"],
    responses: [noContent("The knowledge base is deleted.")],
    errors: ["not_found", "version_conflict", "payload_too_large"],
  },
  "POST /v1/knowledge-bases/{id}/search": {
    id: "searchKnowledgeBase",
    summary: "Search a knowledge base",
    description:
      "The same search as an agent's `search_knowledge`: by words, and by meaning if the " +
      "operator has configured a model for it.",
    auth: read,
    parameters: ["knowledgeBaseId"],
    body: { schema: "SearchBody", example: { query: "How long may I return a book?", limit: 3 } },
    responses: [
      ok("Passages, best match first.", json("FoundPassages", { passages: [EXAMPLES.passage] })),
    ],
    errors: ["not_found"],
  },
  "GET /v1/knowledge-bases/{id}/documents": {
    id: "listDocuments",
    summary: "List documents",
    description: "Newest first, one page at a time.",
    auth: read,
    parameters: ["knowledgeBaseId", "limit", "cursor"],
    responses: [ok("One page.", json("DocumentPage", { data: [EXAMPLES.document] }))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "POST /v1/knowledge-bases/{id}/documents": {
    id: "createDocument",
    summary: "Add a document",
    description: "Send text, Markdown, HTML or CSV as JSON, or a file as a form: also PDF, DOCX, " +
      "XLSX, PPTX, ODT and EPUB; at most 20 MiB. It is processed after the response: `state` changes from `processing` to " +
      "`ready` or `failed`, usually within seconds. A knowledge base holds up to 1,000 documents, " +
      "10,000 passages and 512 MiB; above that this is a 400. Exceeding the plan is a 403.",
    auth: write,
    idempotent: true,
    parameters: ["knowledgeBaseId", "configurationLock"],
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
    errors: ["not_found", "quota_exceeded", "configuration_locked"],
  },
  "GET /v1/knowledge-bases/{id}/documents/{documentId}": {
    id: "getDocument",
    summary: "Read a document's state",
    auth: read,
    parameters: ["knowledgeBaseId", "documentId"],
    responses: [ok("The document.", json("Document", EXAMPLES.document))],
    errors: ["not_found"],
  },
  "GET /v1/knowledge-bases/{id}/documents/{documentId}/content": {
    id: "getDocumentContent",
    summary: "Download a document",
    description: "The file as it was uploaded.",
    auth: read,
    parameters: ["knowledgeBaseId", "documentId"],
    responses: [ok("The file.", { type: "application/octet-stream" }, ["Content-Disposition"])],
    errors: ["not_found"],
  },
  "PUT /v1/knowledge-bases/{id}/documents/{documentId}": {
    id: "replaceDocument",
    summary: "Replace a document's content",
    description: "A file can be sent as a form, as for a new document. The id stays, and the old " +
      "version stays searchable until the new one is processed. Repeating the request is harmless.",
    auth: write,
    parameters: ["knowledgeBaseId", "documentId", "configurationLock", "ifMatchDocument"],
    // Generators of Python clients fail for two bodies in an operation without optional parameters.
    body: {
      schema: "DocumentBody",
      example: {
        title: EXAMPLES.document.title,
        content: "# Returns\n\n## Deadlines\n\nYou may return any book within 60 days.",
        mediaType: "text/markdown",
      },
    },
    responses: [
      ok(
        "The document, before processing.",
        json("Document", { ...EXAMPLES.document, state: "processing" }),
      ),
    ],
    errors: ["not_found", "quota_exceeded", "version_conflict", "configuration_locked"],
  },
  "DELETE /v1/knowledge-bases/{id}/documents/{documentId}": {
    id: "deleteDocument",
    summary: "Delete a document",
    description: "Deletes the file and everything extracted from it.",
    auth: write,
    parameters: ["knowledgeBaseId", "documentId", "configurationLock", "ifMatchDocument"],
    responses: [noContent("The document is deleted.")],
    errors: ["not_found", "version_conflict", "configuration_locked", "payload_too_large"],
  },
});
