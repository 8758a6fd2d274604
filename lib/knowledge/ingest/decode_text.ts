/** What browsers assume for text that names no encoding and is not UTF-8. */
const FALLBACK_ENCODING = "windows-1252";

/** All controls but tab, line feed, form feed and carriage return. */
// deno-lint-ignore no-control-regex
const CONTROL_CHARACTERS = /[\0-\x08\x0b\x0e-\x1f\x7f]/g;

/**
 * Decodes text: by its byte order mark, else as UTF-16 if every second byte is zero, else as UTF-8 if
 * it is valid, else by `label`, else as browsers do. What cannot be decoded becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array, label?: string): string {
  const encoding = detectByteOrderMark(bytes) ?? detectUtf16(bytes);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  return createDecoder(label).decode(bytes);
}

function detectByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

/** Detects UTF-16 without a mark: one byte of Latin letters, spaces and line ends is zero. */
function detectUtf16(bytes: Uint8Array): string | undefined {
  const size = Math.min(bytes.length, 4096) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < size; at += 2) {
    if (bytes[at] === 0) even++;
    if (bytes[at + 1] === 0) odd++;
  }
  if (odd > size / 8 && even < odd / 8) return "utf-16le";
  if (even > size / 8 && odd < even / 8) return "utf-16be";
  return undefined;
}

/**
 * The last character may be incomplete, as in a prefix. Then an earlier multi-byte character is
 * required, because many encodings have letters that look like an incomplete one.
 */
export function isUtf8(bytes: Uint8Array): boolean {
  if (isDecodable(bytes, { stream: false })) return true;
  return isDecodable(bytes, { stream: true }) &&
    bytes.subarray(0, -3).some((byte) => byte >= 0x80);
}

function isDecodable(bytes: Uint8Array, options: { stream: boolean }): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, options);
    return true;
  } catch {
    return false;
  }
}

function createDecoder(label = FALLBACK_ENCODING): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(FALLBACK_ENCODING);
  }
}

/** Makes text well-formed, with `\n` line ends and without control characters. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROL_CHARACTERS, "")
    .replace(/\r\n?|\f|\u2028|\u2029/g, "\n");
}

export function toSingleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
