import type { OpenApiDocument } from "./document.ts";
import { openapiDocument } from "./openapi_document.ts";

let last: { baseUrl: string; document: OpenApiDocument; json: string } | undefined;

/**
 * The document and its text, made once per base URL, of which a process has one: the addresses that
 * serve it take no credential and are never limited, so they must cost next to nothing.
 */
export function cachedOpenApi(baseUrl: string): { document: OpenApiDocument; json: string } {
  if (last?.baseUrl !== baseUrl) {
    const document = openapiDocument({ baseUrl });
    last = { baseUrl, document, json: JSON.stringify(document) };
  }
  return last;
}
