import { fillTemplate, isSecretName, type Lookup } from "./template.ts";
import { ToolFailure } from "./tool_failure.ts";

const PARTS = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * The URL of one call: arguments are encoded for the place they stand in, and a query field whose
 * argument was left out is dropped. An argument can neither leave its path segment nor change the
 * host. Throws `tool_invalid_arguments`.
 */
export function renderUrl(
  request: { url: string; query?: Readonly<Record<string, string>> | undefined },
  lookup: Lookup,
): URL {
  const [, origin = "", path = "", ownQuery] = PARTS.exec(request.url) ?? [];
  const encoded: Lookup = (name) => encodeValue(lookup(name));
  const inUrl: Lookup = (name) => {
    if (isSecretName(name)) throw invalid("a secret may not stand in a URL");
    return encoded(name);
  };
  const segments = path.split("/").map((segment) => fillSegment(segment, lookup));
  const fields = (ownQuery?.split("&") ?? []).map((field) => fillTemplate(field, inUrl));
  for (const [name, template] of Object.entries(request.query ?? {})) {
    const value = fillTemplate(encodeLiterals(template), encoded);
    fields.push(value === undefined ? undefined : `${encode(name)}=${value}`);
  }
  const query = fields.filter((field) => field !== undefined && field !== "").join("&");
  const text = origin + segments.join("/") + (query === "" ? "" : `?${query}`);
  const url = URL.parse(text);
  // The checks above should never leave anything for this one to find.
  if (url === null || url.origin !== new URL(origin).origin) throw invalid("the URL is not valid");
  return url;
}

function fillSegment(segment: string, lookup: Lookup): string {
  if (!segment.includes("{{")) return segment;
  const filled = fillTemplate(segment, (name) => {
    if (isSecretName(name)) throw invalid("a secret may not stand in a URL");
    const value = lookup(name);
    if (value === undefined || value === null) throw invalid(`${name} is needed in the path`);
    return encode(plainSegment(name, value));
  });
  if (filled === undefined || /^(\.|%2e){0,2}$/i.test(filled)) {
    throw invalid("a part of the path would be empty, . or ..");
  }
  return filled;
}

/**
 * An argument as it may stand in a path. Servers decode `%2F` before or after they choose a
 * handler, so a slash passes only between plain words, and nothing that is encoded already does.
 */
function plainSegment(name: string, value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : `${value}`;
  // deno-lint-ignore no-control-regex -- they are what is looked for
  if (/[\x00-\x1f\x7f\\]|%(25)*(2e|2f|5c|00)/i.test(text)) {
    throw invalid(`${name} holds what may not stand in a path`);
  }
  if (text.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw invalid(`${name} may not be empty, . or .. in a path`);
  }
  return text;
}

/** Encodes what stands around the placeholders of a `query` value; `url` is a URL already. */
function encodeLiterals(template: string): string {
  return template.split(/(\{\{[^{}\s]{1,256}\}\})/)
    .map((part, n) => n % 2 === 1 ? part : encode(part)).join("");
}

function encodeValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return encode(typeof value === "object" ? JSON.stringify(value) : `${value}`);
}

/** Half a surrogate pair has no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("tool_invalid_arguments", message);
}
