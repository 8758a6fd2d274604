/** How the text of a body is put together, as far as arguments in it can be encoded. */
export type BodyFormat = "json" | "json_lines" | "form" | "xml" | "plain" | "unknown";

/** What a body is sent as when its tool says nothing else. */
export const JSON_TYPE = "application/json";

/** By a content type as the header has it; one that an argument decides is not known. */
export function bodyFormat(contentType: string): BodyFormat {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type.includes("{{")) return "unknown";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(type)) return "json_lines";
  if (/\bjson\b/.test(type)) return "json";
  if (/[/+]xml$/.test(type)) return "xml";
  return type === "text/plain" || type === "text/markdown" ? "plain" : "unknown";
}
