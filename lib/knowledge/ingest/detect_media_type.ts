import { type MediaType, UNKNOWN_TYPE } from "../../schemas/media_types.ts";
import { decodeText, isUtf8 } from "./decode_text.ts";
import { archivedDocumentType } from "./office/document_kind.ts";

interface Signature {
  /** Follows "this is". */
  description: string;
  bytes: number[];
  offset?: number;
}

const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** First bytes of files that people mistake for documents. */
const SIGNATURES: Signature[] = [
  { description: "a ZIP archive", bytes: ZIP },
  { description: "an empty ZIP archive", bytes: [0x50, 0x4b, 0x05, 0x06] },
  {
    description:
      "an Office document in an old format or with a password; save it as DOCX, XLSX or " +
      "PPTX without one",
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
  },
  { description: "a gzip archive", bytes: [0x1f, 0x8b] },
  { description: "a 7-Zip archive", bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { description: "a RAR archive", bytes: [0x52, 0x61, 0x72, 0x21, 0x1a] },
  { description: "an xz archive", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { description: "a Zstandard archive", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { description: "a PNG picture", bytes: [0x89, 0x50, 0x4e, 0x47] },
  { description: "a JPEG picture", bytes: [0xff, 0xd8, 0xff] },
  { description: "a GIF picture", bytes: [0x47, 0x49, 0x46, 0x38] },
  { description: "a video", bytes: [0x66, 0x74, 0x79, 0x70], offset: 4 },
  { description: "a program", bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { description: "a WebAssembly program", bytes: [0x00, 0x61, 0x73, 0x6d] },
  { description: "an SQLite database", bytes: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66] },
  { description: "an RTF document", bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66] },
];

/** Names the kind of a file that is not supported. */
function sniffFileType(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(({ bytes: wanted, offset = 0 }) =>
    wanted.every((byte, n) => bytes[offset + n] === byte)
  )?.description;
}

/** What the sender declares; often wrong. */
type DeclaredType = { mediaType?: string | undefined; fileName?: string | undefined };

/** PDF readers accept the header within this many bytes. */
const PDF_HEADER_WITHIN = 1024;
const SNIFFED_BYTES = 64 * 1024;
/**
 * Text may hold stray control characters or an incomplete character. Valid UTF-8 is evidence of text;
 * in any other encoding, random bytes have 10 % of control characters.
 */
const MAX_CONTROL_SHARE = { utf8: 0.1, other: 0.02 };
const MAX_STRAY_CONTROLS = 4;
const MAX_COMMENT_LENGTH = 2_000;

/**
 * Detects how to parse a document. Its bytes decide; the declared type only chooses between kinds of
 * text, which look alike. What was declared as PDF, image, audio or video is never parsed as text, so
 * that the sender learns that it is damaged.
 */
export function detectMediaType(bytes: Uint8Array, claim: DeclaredType): MediaType {
  if (ZIP.every((byte, n) => bytes[n] === byte)) return archivedDocumentType(bytes) ?? UNKNOWN_TYPE;
  if (isPdf(bytes)) return "application/pdf";
  if (sniffFileType(bytes) !== undefined) return UNKNOWN_TYPE;
  if (declaresPdf(claim)) return "application/pdf";
  const text = decodeIfText(bytes);
  if (text === undefined || declaresMedia(claim) || declaresArchive(claim)) return UNKNOWN_TYPE;
  return isHtml(text) ? "text/html" : declaredTextType(claim);
}

/** Explains to the sender why the type of a document is not supported. */
export function unsupportedReason(bytes: Uint8Array): string {
  const kind = sniffFileType(bytes);
  if (kind !== undefined) return `this is ${kind}; ${SUPPORTED_TYPES}`;
  if (decodeIfText(bytes) === undefined) {
    return `this is not text in any known encoding; ${SUPPORTED_TYPES}`;
  }
  return "this is text, but it was sent as another kind of file; send it as text";
}

const SUPPORTED_TYPES =
  "PDF, DOCX, XLSX, PPTX, ODT, EPUB, CSV, HTML, Markdown and plain text can be read";

export function isPdf(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PDF_HEADER_WITHIN));
  return head.includes("%PDF-");
}

/** The beginning as text; `undefined` if too much of it is control characters or undecodable. */
function decodeIfText(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const text = decodeText(head);
  // deno-lint-ignore no-control-regex
  const odd = text.match(/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  const share = isUtf8(head) ? MAX_CONTROL_SHARE.utf8 : MAX_CONTROL_SHARE.other;
  return odd <= Math.max(MAX_STRAY_CONTROLS, text.length * share) ? text : undefined;
}

/**
 * Whether the first element starts a page. Scans, because a pattern that skips comments could backtrack
 * without bound.
 */
function isHtml(text: string): boolean {
  let at = skipWhitespace(text, 0);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end < 0 || end - at > MAX_COMMENT_LENGTH) return false;
    at = skipWhitespace(text, end + 3);
  }
  return /^<(?:!doctype\s+html|html|head|body)\b/i.test(text.slice(at, at + 100));
}

function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

function declaresPdf({ mediaType, fileName = "" }: DeclaredType): boolean {
  return essence(mediaType) === "application/pdf" || /\.pdf$/i.test(fileName);
}

/** By its name; the media type of a text that Excel saved as CSV is that of a workbook. */
function declaresArchive({ fileName = "" }: DeclaredType): boolean {
  return /\.(?:docx|xlsx|pptx|odt|epub)$/i.test(fileName);
}

/** SVG counts as text. */
function declaresMedia({ mediaType }: DeclaredType): boolean {
  return /^(?:image\/(?!svg\+xml$)|audio\/|video\/|font\/)/.test(essence(mediaType));
}

function essence(mediaType = ""): string {
  return mediaType.split(";")[0]!.trim().toLowerCase();
}

function declaredTextType({ mediaType, fileName = "" }: DeclaredType): MediaType {
  const type = essence(mediaType);
  if (type === "text/html" || type === "application/xhtml+xml") return "text/html";
  if (type === "text/markdown" || type === "text/x-markdown") return "text/markdown";
  if (type === "text/csv" || type === "text/tab-separated-values") return "text/csv";
  if (/\.(?:csv|tsv)$/i.test(fileName)) return "text/csv";
  if (/\.(?:html?|xhtml)$/i.test(fileName)) return "text/html";
  if (/\.(?:md|markdown|mdx)$/i.test(fileName)) return "text/markdown";
  return "text/plain";
}
