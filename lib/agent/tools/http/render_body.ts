import { encodeCdata, encodeForm, encodeJsonString, encodeXml } from "../encodings.ts";
import {
  asText,
  encodedLookup,
  fillBody,
  fillTemplate,
  type Lookup,
  PLACEHOLDER,
  wholePlaceholder,
} from "../template.ts";
import { ToolError } from "../tool_error.ts";

/** How arguments are encoded in the text of a body. */
export type BodyFormat = "json" | "json_lines" | "form" | "xml" | "plain" | "unknown";

/** The default content type of a body. */
export const JSON_TYPE = "application/json";

/** The format for a content type; unknown if an argument determines the type. */
export function bodyFormat(contentType: string): BodyFormat {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type.includes("{{")) return "unknown";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(type)) return "json_lines";
  if (/\bjson\b/.test(type)) return "json";
  if (/[/+]xml$/.test(type)) return "xml";
  return type === "text/plain" || type === "text/markdown" ? "plain" : "unknown";
}

type Fill = (template: string, lookup: Lookup) => string | undefined;

/**
 * Renders the body of a call; `undefined` for no body. A string template with a content type other than
 * JSON is filled as text, with arguments encoded for that type. A string that is a single placeholder
 * needs no encoding, because no surrounding text could break. Everything else is sent as JSON or, if
 * the type says so, as a form. Throws `tool_invalid_arguments`.
 */
export function renderBody(
  template: unknown,
  { contentType, lookup }: { contentType: string; lookup: Lookup },
): string | undefined {
  const format = bodyFormat(contentType);
  const isText = typeof template === "string" && format !== "json";
  if (isText && wholePlaceholder(template) === undefined) {
    return FILL_BY_FORMAT[format](template, lookup);
  }
  const body = fillBody(template, lookup);
  if (body === undefined) return undefined;
  if (typeof body === "string" && format !== "json") return body;
  const isForm = format === "form" && typeof body === "object" && body !== null;
  return isForm && !Array.isArray(body) ? encodeFormBody(body) : JSON.stringify(body);
}

const FILL_BY_FORMAT: Readonly<Record<Exclude<BodyFormat, "json">, Fill>> = {
  form: fillForm,
  xml: fillXml,
  json_lines: fillJsonLines,
  plain: fillTemplate,
  // Rejected when an agent is saved; agents stored before that rule keep sending unencoded text.
  unknown: fillTemplate,
};

/** Omits the fields whose argument was omitted. */
function fillForm(template: string, lookup: Lookup): string {
  const encoded = encodedLookup(lookup, encodeForm);
  return template.split("&").map((field) => fillTemplate(field, encoded))
    .filter((field) => field !== undefined).join("&");
}

/** An unclosed section extends to the end, so that the search stays linear. */
const CDATA = /(<!\[CDATA\[[\s\S]*?(?:\]\]>|$))/;

function fillXml(template: string, lookup: Lookup): string | undefined {
  const inText = encodedLookup(lookup, (text) => encodeXml(assertXmlCharacters(text)));
  const inCdata = encodedLookup(lookup, (text) => encodeCdata(assertXmlCharacters(text)));
  // `split` puts the captured sections at the odd indexes.
  const parts = template.split(CDATA)
    .map((part, n) => fillTemplate(part, n % 2 === 1 ? inCdata : inText));
  return parts.includes(undefined) ? undefined : parts.join("");
}

function assertXmlCharacters(text: string): string {
  // deno-lint-ignore no-control-regex -- XML forbids control characters
  if (!/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) return text;
  const message = "an argument contains characters that XML does not allow";
  throw new ToolError("tool_invalid_arguments", message);
}

/** A JSON string, which may be unclosed at the end, or a placeholder between strings. */
const STRING_OR_PLACEHOLDER = new RegExp(
  `"(?:[^"\\\\]|\\\\.?)*(?:"|$)|${PLACEHOLDER.source}`,
  "gs",
);

/** A placeholder inside a string becomes text, any other becomes a value of its own type. */
function fillJsonLines(template: string, lookup: Lookup): string | undefined {
  const inString = encodedLookup(lookup, encodeJsonString);
  let omitted = false;
  const text = template.replace(STRING_OR_PLACEHOLDER, (part: string, name?: string) => {
    const filled = name === undefined
      ? fillTemplate(part, inString)
      : JSON.stringify(lookup(name)) as string | undefined;
    omitted ||= filled === undefined;
    return filled ?? "";
  });
  return omitted ? undefined : text;
}

/** Repeats the field of a list for each item; an object in a field becomes JSON. */
function encodeFormBody(body: object): string {
  return Object.entries(body)
    .flatMap(([name, value]) => [value].flat().map((item: unknown) => [name, item] as const))
    .filter(([, item]) => item !== undefined && item !== null)
    .map(([name, item]) => `${encodeForm(name)}=${encodeForm(asText(item))}`)
    .join("&");
}
