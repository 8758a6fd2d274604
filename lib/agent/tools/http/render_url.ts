import { encodeUrl } from "../encodings.ts";
import {
  asText,
  encodedLookup,
  fillTemplate,
  isSecretName,
  type Lookup,
  mapLiterals,
} from "../template.ts";
import { ToolError } from "../tool_error.ts";

/** Escapes that a server may decode again to a dot, a slash or a null character. */
const ESCAPE = /%(?:25)*(?:2e|2f|5c|00)/i;
const URL_PARTS = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * Renders the URL of a call. Arguments are encoded for their place and can neither leave their path
 * segment nor change the host; a query field whose argument was omitted is omitted. Throws
 * `tool_invalid_arguments`.
 */
export function renderUrl(
  request: { url: string; query?: Readonly<Record<string, string>> | undefined },
  lookup: Lookup,
): URL {
  const [, origin = "", path = "", ownQuery] = URL_PARTS.exec(request.url) ?? [];
  const encoded = encodedLookup(lookup, encodeUrl);
  const inUrl: Lookup = (name) => {
    rejectSecret(name);
    return encoded(name);
  };
  const segments = path.split("/").map((segment) => fillSegment(segment, lookup));
  const fields = (ownQuery?.split("&") ?? []).map((field) => fillTemplate(field, inUrl));
  for (const [name, template] of Object.entries(request.query ?? {})) {
    const value = fillTemplate(mapLiterals(template, encodeUrl), encoded);
    fields.push(value === undefined ? undefined : `${encodeUrl(name)}=${value}`);
  }
  const query = fields.filter((field) => field !== undefined && field !== "").join("&");
  const text = origin + segments.join("/") + (query === "" ? "" : `?${query}`);
  const url = URL.parse(text);
  // Defense in depth: the checks above should already guarantee this.
  if (url === null || url.origin !== new URL(origin).origin) {
    throw invalidArguments("the URL is not valid");
  }
  return url;
}

function fillSegment(segment: string, lookup: Lookup): string {
  if (!segment.includes("{{")) return segment;
  const filled = fillTemplate(segment, (name) => {
    rejectSecret(name);
    const value = lookup(name);
    if (value === undefined || value === null) {
      throw invalidArguments(`${name} is needed in the path`);
    }
    return encodeUrl(checkPathArgument(name, value));
  });
  if (filled === undefined || /^(\.|%2e){0,2}$/i.test(filled)) {
    throw invalidArguments("a part of the path would be empty, . or ..");
  }
  if (formsEscape(segment, lookup)) {
    throw invalidArguments("a part of the path would be percent-encoded twice");
  }
  return filled;
}

/**
 * Whether arguments form an escape only together or with adjacent text (`%` and `2e`). Complete escapes
 * in the URL itself are the author's.
 */
function formsEscape(segment: string, lookup: Lookup): boolean {
  const own = new RegExp(ESCAPE.source, "gi");
  const joined = fillTemplate(mapLiterals(segment, (text) => text.replaceAll(own, "-")), lookup);
  return ESCAPE.test(joined ?? "");
}

/**
 * An argument as text for a path. Servers decode `%2F` before or after routing, so slashes are allowed
 * only between plain words, and encoded text is rejected.
 */
function checkPathArgument(name: string, value: unknown): string {
  const text = asText(value);
  // deno-lint-ignore no-control-regex -- control characters are rejected here
  if (/[\x00-\x1f\x7f\\]/.test(text) || ESCAPE.test(text)) {
    throw invalidArguments(`${name} contains characters that a path does not allow`);
  }
  if (text.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw invalidArguments(`${name} may not be empty, . or .. in a path`);
  }
  return text;
}

function rejectSecret(name: string): void {
  if (isSecretName(name)) throw invalidArguments("a secret may not stand in a URL");
}

function invalidArguments(message: string): ToolError {
  return new ToolError("tool_invalid_arguments", message);
}
