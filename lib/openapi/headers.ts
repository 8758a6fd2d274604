import type { HeaderObject } from "./document.ts";

/** Headers of answers, by the name of their component. */
export const HEADERS = {
  "x-request-id": {
    description: "Id of this request, made by the service; quote it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  "x-run-id": {
    description: "Id of the run whose frames follow.",
    schema: { type: "string", format: "uuid" },
  },
  ETag: {
    description: "The version, in quotes; send it as `If-Match` or `If-None-Match`.",
    schema: { type: "string" },
  },
  Location: {
    description: "Address of what was created.",
    schema: { type: "string", format: "uri-reference" },
  },
  "Retry-After": {
    description: "Whole seconds to wait before the next try.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": {
    description: "Which credential is wanted.",
    schema: { type: "string" },
  },
  "Cache-Control": {
    description: "How long the answer may be kept.",
    schema: { type: "string" },
  },
  "Access-Control-Allow-Origin": {
    description: "`*`: pages of any site may read the answer.",
    schema: { type: "string", const: "*" },
  },
} satisfies Record<string, HeaderObject>;
export type HeaderName = keyof typeof HEADERS;
