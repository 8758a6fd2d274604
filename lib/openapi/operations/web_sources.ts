import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, operations } from "../operation.ts";

const read = { scope: "knowledge:read" } as const;
const write = { scope: "knowledge:write" } as const;
const source = json("WebSource", EXAMPLES.webSource);

export const WEB_SOURCE_OPERATIONS = operations({ tag: "Knowledge bases", rateLimited: true }, {
  "GET /v1/knowledge-bases/{id}/sources": {
    id: "listWebSources",
    summary: "List website sources",
    description: "All of a knowledge base, oldest first.",
    auth: read,
    parameters: ["knowledgeBaseId"],
    responses: [ok("The sources.", json("WebSourceList", { data: [EXAMPLES.webSource] }))],
    errors: ["not_found"],
  },
  "POST /v1/knowledge-bases/{id}/sources": {
    id: "createWebSource",
    summary: "Add a website",
    description: "Its pages become documents, in the background. `robots.txt` is obeyed, and no " +
      "other host is asked than that of `url`. A knowledge base takes 20 websites; above that this " +
      "is a 400.",
    auth: write,
    idempotent: true,
    parameters: ["knowledgeBaseId"],
    body: {
      schema: "WebSourceBody",
      example: { url: EXAMPLES.webSource.url, kind: "site", maxPages: 50, schedule: "weekly" },
    },
    responses: [created("The source, before its first crawl.", source)],
    errors: ["not_found"],
  },
  "GET /v1/knowledge-bases/{id}/sources/{sourceId}": {
    id: "getWebSource",
    summary: "Read a website source with its pages",
    description: "One page of its web pages at a time, with the reason why one is no document.",
    auth: read,
    parameters: ["knowledgeBaseId", "sourceId", "limit", "cursor"],
    responses: [ok("The source.", json("WebSourceReport", EXAMPLES.webSourceReport))],
    errors: ["schema_validation_failed", "not_found"],
  },
  "PATCH /v1/knowledge-bases/{id}/sources/{sourceId}": {
    id: "updateWebSource",
    summary: "Change a website source",
    description: "The number of pages counts from the next crawl on.",
    auth: write,
    parameters: ["knowledgeBaseId", "sourceId"],
    body: { schema: "WebSourcePatch", example: { schedule: "daily" } },
    responses: [ok("The changed source.", source)],
    errors: ["not_found"],
  },
  "DELETE /v1/knowledge-bases/{id}/sources/{sourceId}": {
    id: "deleteWebSource",
    summary: "Delete a website source",
    description: "Deletes the documents of its pages too, unless `pages` is `keep`.",
    auth: write,
    parameters: ["knowledgeBaseId", "sourceId", "pages"],
    responses: [noContent("The source is deleted.")],
    errors: ["schema_validation_failed", "not_found", "payload_too_large"],
  },
  "POST /v1/knowledge-bases/{id}/sources/{sourceId}/refresh": {
    id: "refreshWebSource",
    summary: "Read a website again",
    description: "In the background. Only pages that have changed are processed again. Nothing " +
      "happens if a crawl is running or waiting.",
    auth: write,
    parameters: ["knowledgeBaseId", "sourceId"],
    responses: [{ status: 202, description: "The source.", content: source }],
    errors: ["not_found", "payload_too_large"],
  },
});
