import type { ToolDefinition } from "../../../schemas/tool_definition.ts";
import { asText, fillTemplate, type Lookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";
import { JSON_TYPE, renderBody } from "./render_body.ts";
import { renderUrl } from "./render_url.ts";

export type HttpTool = Extract<ToolDefinition, { type: "http" }>;

/** A request with all placeholders filled; header names are in lower case. */
export interface RenderedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Limit for all arguments in one request: 12,000 placeholders times 32,000 characters used up memory. */
const MAX_ARGUMENT_CHARACTERS = 1_048_576;

/** Renders the request of an HTTP tool. Throws `tool_invalid_arguments`. */
export function renderRequest(request: HttpTool["request"], values: Lookup): RenderedRequest {
  const lookup = limitedLookup(values);
  const url = renderUrl(request, lookup);
  const headers: Record<string, string> = {
    accept: "application/json, text/*;q=0.9, */*;q=0.5",
    ...renderHeaders(request.headers ?? {}, lookup),
  };
  const contentType = headers["content-type"] ?? JSON_TYPE;
  const text = renderBody(request.body, { contentType, lookup });
  if (text !== undefined) headers["content-type"] = contentType;
  const body = text === undefined ? undefined : new TextEncoder().encode(text);
  return { method: request.method, url, headers, body };
}

/** Renders header values; a header whose argument was omitted is omitted. */
export function renderHeaders(
  templates: Readonly<Record<string, string>>,
  lookup: Lookup,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const value = fillTemplate(template, lookup);
    if (value === undefined) continue;
    // A line break would let the model add headers.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      const message =
        `the value of the header ${name} contains characters that headers do not allow`;
      throw new ToolError("tool_invalid_arguments", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Limits the total length of all values, because a template may repeat an argument. */
function limitedLookup(lookup: Lookup): Lookup {
  let left = MAX_ARGUMENT_CHARACTERS;
  return (name) => {
    const value = lookup(name);
    left -= asText(value).length;
    if (left >= 0) return value;
    const message =
      `the request would contain more than ${MAX_ARGUMENT_CHARACTERS} characters of arguments`;
    throw new ToolError("tool_invalid_arguments", message);
  };
}
