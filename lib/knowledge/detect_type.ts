import { type MediaType, UNKNOWN_TYPE } from "../schemas/media_types.ts";
import { decodeText, isUtf8 } from "./decode_text.ts";
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
/**
 * Texts hold a stray control character, or are cut within a character. UTF-8 is evidence of text by
 * itself; of bytes that could be any encoding, random ones have 10 % of control characters.
 */
const MAX_ODD_SHARE = { utf8: 0.1, other: 0.02 };
const ODD_ALLOWED = 4;
/** A comment longer than this before the first element is not skipped. */
const COMMENT_CHARACTERS = 2_000;

/**
 * What a document is read as. Its bytes decide; what the sender claims only chooses between texts,
 * which look alike. What was sent as a PDF, or as a picture or sound, is never read as text: its reader
 * says why it is none.
 */
export function detectType(bytes: Uint8Array, claim: Claim): MediaType {
  if (isPdf(bytes)) return "application/pdf";
  if (foreignKind(bytes) !== undefined) return UNKNOWN_TYPE;
  if (claimsPdf(claim)) return "application/pdf";
  const text = textOf(bytes);
  if (text === undefined || claimsMedia(claim)) return UNKNOWN_TYPE;
  return isHtml(text) ? "text/html" : claimedText(claim);
}

/** Why a document is of no type that can be read, for the person who sent it. */
export function unsupportedReason(bytes: Uint8Array): string {
  const kind = foreignKind(bytes);
  if (kind !== undefined) return `this is ${kind}; ${READABLE}`;
  if (textOf(bytes) === undefined) {
    return `this is no text in any encoding we know; ${READABLE}`;
  }
  return "this is text, but it was sent as a picture, sound or video; send it as text";
}

const READABLE = "PDF, HTML, Markdown and plain text can be read";

/** Whether the mark of a PDF is where readers look for it. */
export function isPdf(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PDF_MARK_WITHIN));
  return head.includes("%PDF-");
}

/** The beginning, if it is text: other bytes turn up as control characters or cannot be decoded. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, LOOKED_AT);
  const text = decodeText(head);
  // deno-lint-ignore no-control-regex
  const odd = text.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  const share = isUtf8(head) ? MAX_ODD_SHARE.utf8 : MAX_ODD_SHARE.other;
  return odd <= Math.max(ODD_ALLOWED, text.length * share) ? text : undefined;
}

/**
 * Whether the first element is one that only a page begins with. A scanner, because a pattern that skips
 * comments can match them in ever more ways the more of them there are.
 */
function isHtml(text: string): boolean {
  let at = skipBlanks(text, 0);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end < 0 || end - at > COMMENT_CHARACTERS) return false;
    at = skipBlanks(text, end + 3);
  }
  return /^<(?:!doctype\s+html|html|head|body)\b/i.test(text.slice(at, at + 100));
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

function claimsPdf({ mediaType, fileName = "" }: Claim): boolean {
  return essence(mediaType) === "application/pdf" || /\.pdf$/i.test(fileName);
}

/** SVG is text. */
function claimsMedia({ mediaType }: Claim): boolean {
  return /^(?:image\/(?!svg\+xml$)|audio\/|video\/|font\/)/.test(essence(mediaType));
}

/** A media type without its parameters. */
function essence(mediaType = ""): string {
  return mediaType.split(";")[0]!.trim().toLowerCase();
}

function claimedText({ mediaType, fileName = "" }: Claim): MediaType {
  const type = essence(mediaType);
  if (type === "text/html" || type === "application/xhtml+xml") return "text/html";
  if (type === "text/markdown" || type === "text/x-markdown") return "text/markdown";
  if (/\.(?:html?|xhtml)$/i.test(fileName)) return "text/html";
  if (/\.(?:md|markdown|mdx)$/i.test(fileName)) return "text/markdown";
  return "text/plain";
}
