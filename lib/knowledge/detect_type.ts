import { type MediaType, UNKNOWN_TYPE } from "../wire/media_types.ts";
import { decodeText } from "./decode_text.ts";
import { foreignKind } from "./signatures.ts";

/** What the sender says; wrong as often as people rename files. */
export interface Claim {
  mediaType?: string | undefined;
  fileName?: string | undefined;
}

/** Readers of PDF look for its mark this far, and so do those who hide one. */
const PDF_MARK_WITHIN = 1024;
/** What is looked at to tell text from anything else. */
const LOOKED_AT = 64 * 1024;
/** Texts hold a stray control character, or are cut within a character; no more than that. */
const MAX_ODD_SHARE = 0.1;
const ODD_ALLOWED = 4;

/**
 * What a document is read as. Its bytes decide; what the sender claims only chooses between texts,
 * which look alike.
 */
export function detectType(bytes: Uint8Array, claim: Claim): MediaType {
  if (isPdf(bytes)) return "application/pdf";
  if (foreignKind(bytes) !== undefined) return UNKNOWN_TYPE;
  const text = decodeText(bytes.subarray(0, LOOKED_AT));
  if (!isText(text)) return UNKNOWN_TYPE;
  if (/^\s*(?:<!--[^]{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(text)) {
    return "text/html";
  }
  return claimedText(claim);
}

function isPdf(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PDF_MARK_WITHIN));
  return head.includes("%PDF-");
}

/** Bytes that are no text turn up as control characters or as what cannot be decoded. */
function isText(text: string): boolean {
  // deno-lint-ignore no-control-regex
  const odd = text.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  return odd <= Math.max(ODD_ALLOWED, text.length * MAX_ODD_SHARE);
}

function claimedText({ mediaType = "", fileName = "" }: Claim): MediaType {
  const type = mediaType.split(";")[0]!.trim().toLowerCase();
  if (type === "text/html" || type === "application/xhtml+xml") return "text/html";
  if (type === "text/markdown" || type === "text/x-markdown") return "text/markdown";
  if (/\.(?:html?|xhtml)$/i.test(fileName)) return "text/html";
  if (/\.(?:md|markdown|mdx)$/i.test(fileName)) return "text/markdown";
  return "text/plain";
}
