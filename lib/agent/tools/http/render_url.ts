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

/** What a server that decodes once more takes for a dot, a slash or the end of a text. */
const ESCAPE = /%(?:25)*(?:2e|2f|5c|00)/i;
const URL_PARTS = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * The URL of one call: arguments are encoded for the place they stand in, and a query field whose
 * argument was left out is dropped. An argument can neither leave its path segment nor change the
 * host. Throws `tool_invalid_arguments`.
 */
export function renderUrl(
  request: { url: string; query?: Readonly<Record<string, string>> | undefined },
  lookup: Lookup,
): URL {
  const [, origin = "", path = "", ownQuery] = URL_PARTS.exec(request.url) ?? [];
  const encoded = encodedLookup(lookup, encodeUrl);
  const inUrl: Lookup = (name) => {
    if (isSecretName(name)) throw invalidArguments("a secret may not stand in a URL");
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
  // The checks above should never leave anything for this one to find.
  if (url === null || url.origin !== new URL(origin).origin) {
    throw invalidArguments("the URL is not valid");
  }
  return url;
}

function fillSegment(segment: string, lookup: Lookup): string {
  if (!segment.includes("{{")) return segment;
  const filled = fillTemplate(segment, (name) => {
    if (isSecretName(name)) throw invalidArguments("a secret may not stand in a URL");
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
 * Whether arguments are an escape only together, or with what stands beside them (`%` and `2e`).
 * Whole escapes of the URL itself are its author's.
 */
function formsEscape(segment: string, lookup: Lookup): boolean {
  const own = new RegExp(ESCAPE.source, "gi");
  const joined = fillTemplate(mapLiterals(segment, (text) => text.replaceAll(own, "-")), lookup);
  return ESCAPE.test(joined ?? "");
}

/**
 * An argument as it may stand in a path. Servers decode `%2F` before or after they choose a
 * handler, so a slash passes only between plain words, and nothing that is encoded already does.
 */
function checkPathArgument(name: string, value: unknown): string {
  const text = asText(value);
  // deno-lint-ignore no-control-regex -- they are what is looked for
  if (/[\x00-\x1f\x7f\\]/.test(text) || ESCAPE.test(text)) {
    throw invalidArguments(`${name} holds what may not stand in a path`);
  }
  if (text.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw invalidArguments(`${name} may not be empty, . or .. in a path`);
  }
  return text;
}

function invalidArguments(message: string): ToolError {
  return new ToolError("tool_invalid_arguments", message);
}
