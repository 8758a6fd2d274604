/**
 * About how many tokens a model reads in `text`: a quarter of its UTF-8 bytes. That is close for
 * English and errs on the high side for most other scripts, so that a passage is rather too short.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

/** Size of `text` in UTF-8, without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Each half of a surrogate pair stands for two of its four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
