import type { OpenedAttachment } from "../services/attachment_service.ts";

/** A browser that opens the file by itself runs nothing in it and loads nothing for it. */
export const ATTACHMENT_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The file as its uploader's browser, or the dashboard, may show it: never as a page. */
export function attachmentResponse(
  { kind, mediaType, bytes, name, content }: OpenedAttachment,
): Response {
  const disposition = kind === "image" ? "inline" : "attachment";
  const charset = mediaType.startsWith("text/") ? "; charset=utf-8" : "";
  const headers = {
    "content-type": mediaType + charset,
    "content-length": String(bytes),
    "content-disposition": disposition + fileNameParameters(name),
    "content-security-policy": ATTACHMENT_POLICY,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  };
  return new Response(ReadableStream.from(content), { headers });
}

/** Both forms of RFC 6266: plain for old clients, and encoded for every character. */
function fileNameParameters(name: string | undefined): string {
  if (name === undefined) return "";
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed())
    .replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return `; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
