import type { ToolDefinition } from "../../wire/tool_definition.ts";
import { renderUrl } from "./render_url.ts";
import { fillBody, fillTemplate, type Lookup } from "./template.ts";
import { ToolFailure } from "./tool_failure.ts";

type HttpTool = Extract<ToolDefinition, { type: "http" }>;

/** A request with every placeholder filled. */
export interface RenderedRequest {
  method: string;
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Fills an HTTP tool's request. Throws `tool_invalid_arguments`. */
export function renderRequest(request: HttpTool["request"], lookup: Lookup): RenderedRequest {
  const url = renderUrl(request, lookup);
  const headers = {
    accept: "application/json, text/*;q=0.9, */*;q=0.5",
    ...renderHeaders(request.headers ?? {}, lookup),
  };
  const body = request.body === undefined ? undefined : fillBody(request.body, lookup);
  return { method: request.method, url, ...withBody(headers, body) };
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
      throw new ToolFailure("tool_invalid_arguments", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** A body is JSON, unless it is a text and its content type says something else. */
function withBody(headers: Record<string, string>, body: unknown) {
  if (body === undefined) return { headers, body: undefined };
  const type = headers["content-type"] ?? "application/json";
  const isPlain = typeof body === "string" && !/\bjson\b/i.test(type);
  const text = isPlain ? body : JSON.stringify(body);
  return {
    headers: { ...headers, "content-type": type },
    body: new TextEncoder().encode(text),
  };
}
