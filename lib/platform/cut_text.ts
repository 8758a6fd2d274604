/** Part of a text, without halves of characters such as emoji at its ends. */
export function cutText(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
