import type { DocumentSource } from "../store/knowledge/document_source.ts";
import { ATTACHMENT_POLICY } from "./attachment_response.ts";

/** The uploaded file, never as a page: anybody may have written it. */
export function documentResponse({ bytes }: DocumentSource): Response {
  const headers = {
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "content-security-policy": ATTACHMENT_POLICY,
    "x-content-type-options": "nosniff",
  };
  return new Response(bytes, { headers });
}
