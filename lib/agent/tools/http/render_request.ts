import type { ToolDefinition } from "../../../schemas/tool_definition.ts";
import { JSON_TYPE } from "./body_format.ts";
import { renderBody } from "./render_body.ts";
import { renderUrl } from "./render_url.ts";
import { fillTemplate, limitedLookup, type Lookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";

type HttpTool = Extract<ToolDefinition, { type: "http" }>;

/** A request with every placeholder filled. */
export interface RenderedRequest {
  method: string;
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Characters of arguments in one request. 12,000 times 32,000 ended the process (measured). */
const MAX_ARGUMENT_CHARACTERS = 1_048_576;

/** Fills an HTTP tool's request. Throws `tool_invalid_arguments`. */
export function renderRequest(request: HttpTool["request"], values: Lookup): RenderedRequest {
  const lookup = limitedLookup(values, { most: MAX_ARGUMENT_CHARACTERS, onMore: throwTooLarge });
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

/** Fills header values; one whose argument was left out is dropped. */
export function renderHeaders(
  templates: Readonly<Record<string, string>>,
  lookup: Lookup,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const value = fillTemplate(template, lookup);
    if (value === undefined) continue;
    // A line break would begin a header of the model's own.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      const message = `the value of the header ${name} holds characters a header may not`;
      throw new ToolError("tool_invalid_arguments", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function throwTooLarge(): never {
  const message =
    `the request would hold more than ${MAX_ARGUMENT_CHARACTERS} characters of arguments`;
  throw new ToolError("tool_invalid_arguments", message);
}
