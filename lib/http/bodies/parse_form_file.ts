import { Buffer } from "node:buffer";
import { ATTACHMENT_BOUNDS } from "../../schemas/limits.ts";

/** The only part of a form: a file, and the name that the sender gave it. */
export interface FormFile {
  bytes: Uint8Array<ArrayBuffer>;
  name: string | undefined;
}

/** Browsers write two short lines. */
const MAX_HEADER_BYTES = 4 * 1024;
const BOUNDARY =
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i;

/**
 * Reads a form of exactly one file, named `file` (RFC 7578). The file is a view of the body: a large one is
 * found by one search and not copied. Returns what is wrong with another body.
 */
export function parseFormFile(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
): FormFile | { issue: string } {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return { issue: "the content type has no boundary" };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const opening = `--${boundary}\r\n`;
  if (bytes.toString("latin1", 0, opening.length) !== opening) return MALFORMED;
  const end = bytes.indexOf("\r\n\r\n", opening.length);
  if (end < 0 || end - opening.length > MAX_HEADER_BYTES) return MALFORMED;
  const headers = bytes.toString("utf8", opening.length, end);
  const start = end + 4;
  const close = bytes.indexOf(`\r\n--${boundary}`, start);
  if (close < 0) return MALFORMED;
  const rest = bytes.toString("latin1", close + boundary.length + 4);
  if (rest.startsWith("\r\n")) return { issue: "send one file and nothing else" };
  if (!/^--\s*$/.test(rest)) return MALFORMED;
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1];
  const field = /(?:^|;)\s*name="([^"]*)"/i.exec(disposition ?? "")?.[1];
  const name = /;\s*filename="([^"]*)"/i.exec(disposition ?? "")?.[1];
  if (field !== "file" || name === undefined) return { issue: "send a file in the field `file`" };
  return { bytes: body.subarray(start, close), name: cleanFileName(name) };
}

const MALFORMED = { issue: "is not valid multipart/form-data" };

/** One well-formed line without folders; `undefined` if nothing is left. */
function cleanFileName(sent: string): string | undefined {
  // Browsers escape quotes and line ends.
  const name = sent.replace(/%22/g, '"').replace(/%0[ad]/gi, " ").split(/[/\\]/).at(-1) ?? "";
  // deno-lint-ignore no-control-regex
  const line = name.toWellFormed().replace(/[\0-\x1f\x7f-\x9f\u2028-\u202e\s]+/g, " ").trim();
  const short = Array.from(line).slice(0, ATTACHMENT_BOUNDS.nameLength).join("");
  return short === "" ? undefined : short;
}
