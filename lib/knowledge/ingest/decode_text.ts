/** What a browser takes for a text that names no encoding and is no UTF-8. */
const FALLBACK_ENCODING = "windows-1252";

/**
 * The text of `bytes`: by its byte order mark, else as UTF-16 when every second byte of it is nought,
 * else as UTF-8 when it is that, else as `label` says, else as browsers would. Never throws: what
 * cannot be decoded becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array, label?: string): string {
  const marked = detectByteOrderMark(bytes) ?? detectUtf16(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  return createDecoder(label).decode(bytes);
}

function detectByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

/** UTF-16 without its mark: Latin letters, blanks and line ends have a nought beside them. */
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
 * Whether the bytes are UTF-8. The last character may be cut, as at the end of a prefix or a truncated
 * file; then an earlier multi-byte character is required, because a lone byte at the end is a letter in
 * many encodings.
 */
export function isUtf8(bytes: Uint8Array): boolean {
  if (isDecodable(bytes, { stream: false })) return true;
  return isDecodable(bytes, { stream: true }) && bytes.subarray(0, -3).some((byte) => byte >= 0x80);
}

function isDecodable(bytes: Uint8Array, options: { stream: boolean }): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, options);
    return true;
  } catch {
    return false;
  }
}

function createDecoder(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? FALLBACK_ENCODING);
  } catch {
    return new TextDecoder(FALLBACK_ENCODING);
  }
}

/** Controls that mean nothing in a text: all but tab, line feed, form feed and carriage return. */
// deno-lint-ignore no-control-regex
const CONTROL_CHARACTERS = /[\0-\x08\x0b\x0e-\x1f\x7f]/g;

/** Text that every part of the service takes: whole characters, one kind of line end, no controls. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROL_CHARACTERS, "").replace(
    /\r\n?|\f|\u2028|\u2029/g,
    "\n",
  );
}

/** One line: every run of white space is one blank. */
export function toSingleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
