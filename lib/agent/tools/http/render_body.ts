import { type BodyFormat, bodyFormat } from "./body_format.ts";
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

type Fill = (template: string, lookup: Lookup) => string | undefined;

/**
 * The body of one call as text; `undefined` when there is none. A text whose content type is not
 * JSON is sent as it stands, with what is put in encoded for that type, unless all of it is one
 * placeholder: then there is nothing around the value that it could break. All else is JSON, and a
 * form where the type says so. Throws `tool_invalid_arguments`.
 */
export function renderBody(
  template: unknown,
  { contentType, lookup }: { contentType: string; lookup: Lookup },
): string | undefined {
  const kind = bodyFormat(contentType);
  const isText = typeof template === "string" && kind !== "json";
  if (isText && wholePlaceholder(template) === undefined) {
    return FILL_BY_FORMAT[kind](template, lookup);
  }
  const body = fillBody(template, lookup);
  if (body === undefined) return undefined;
  if (typeof body === "string" && kind !== "json") return body;
  const isForm = kind === "form" && typeof body === "object" && body !== null;
  return isForm && !Array.isArray(body) ? encodeFormBody(body) : JSON.stringify(body);
}

const FILL_BY_FORMAT: Readonly<Record<Exclude<BodyFormat, "json">, Fill>> = {
  form: fillForm,
  xml: fillXml,
  json_lines: fillJsonLines,
  plain: fillTemplate,
  // Refused when an agent is saved; one that was stored before sends what it always did.
  unknown: fillTemplate,
};

/** A field whose argument was left out is dropped. */
function fillForm(template: string, lookup: Lookup): string {
  const values = encodedLookup(lookup, encodeForm);
  return template.split("&").map((field) => fillTemplate(field, values))
    .filter((field) => field !== undefined).join("&");
}

/** One that is never closed goes to the end, and is not looked for again from every other. */
const CDATA = /(<!\[CDATA\[[\s\S]*?(?:\]\]>|$))/;

function fillXml(template: string, lookup: Lookup): string | undefined {
  const inText = encodedLookup(lookup, (text) => encodeXml(assertXmlCharacters(text)));
  const inCdata = encodedLookup(lookup, (text) => encodeCdata(assertXmlCharacters(text)));
  // What a pattern captures stands at every other place.
  const parts = template.split(CDATA)
    .map((part, n) => fillTemplate(part, n % 2 === 1 ? inCdata : inText));
  return parts.includes(undefined) ? undefined : parts.join("");
}

function assertXmlCharacters(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is looked for
  if (!/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) return text;
  throw new ToolError("tool_invalid_arguments", "an argument holds characters that XML has not");
}

/** A string of JSON, to the end where it is not closed, or a placeholder between strings. */
const STRING_OR_PLACEHOLDER = new RegExp(
  `"(?:[^"\\\\]|\\\\.?)*(?:"|$)|${PLACEHOLDER.source}`,
  "gs",
);

/** In a string a placeholder is a part of it, elsewhere a value of its own type. */
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

/** A list has its field once for each item; an object in a field is its JSON. */
function encodeFormBody(body: object): string {
  return Object.entries(body)
    .flatMap(([name, value]) => [value].flat().map((item: unknown) => [name, item] as const))
    .filter(([, item]) => item !== undefined && item !== null)
    .map(([name, item]) => `${encodeForm(name)}=${encodeForm(asText(item))}`)
    .join("&");
}
