import { z } from "zod";
import { jsonValueSchema } from "./json_value.ts";

/** Names a tool may have; the vendors accept no wider set. */
export const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const SCHEMA_BYTES = 16_384;

const headerMap = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "not a header name"),
  z.string().regex(/^[^\r\n]*$/, "line breaks are not allowed"),
);

const toolName = z.string().regex(TOOL_NAME, "must match ^[a-zA-Z][a-zA-Z0-9_-]{0,63}$");

const parameters = z.record(z.string(), jsonValueSchema).superRefine((schema, ctx) => {
  if (schema.type !== "object") {
    ctx.addIssue({ code: "custom", path: ["type"], message: 'must be "object"' });
  }
  if (new TextEncoder().encode(JSON.stringify(schema)).length > SCHEMA_BYTES) {
    ctx.addIssue({ code: "custom", message: "must be at most 16 KiB" });
  }
});

const literalHostUrl = z.string().max(8192).superRefine((value, ctx) => {
  const host = /^https?:\/\/([^/?#]*)/i.exec(value)?.[1];
  if (host === undefined || host === "") {
    ctx.addIssue({ code: "custom", message: "must be an http(s) URL" });
  } else if (host.includes("{") || host.includes("@") || host.includes("\\")) {
    ctx.addIssue({ code: "custom", message: "the host must be a literal" });
  } else if (!URL.canParse(value)) {
    ctx.addIssue({ code: "custom", message: "must be a URL" });
  } else if (value.includes("{{secret.")) {
    ctx.addIssue({ code: "custom", message: "a secret may not stand in the URL" });
  }
});

const BODY =
  "Sent as JSON; as a form where `content-type` is `application/x-www-form-urlencoded`. " +
  "A string under a type that is not JSON is sent as it stands. `{{param}}` puts in an argument, " +
  "encoded for JSON, JSON lines, a form or XML, as it is in `text/plain` and `text/markdown`; under " +
  "any other type a string may hold none, unless `{{param}}` is all of it.";

export const httpToolSchema = z.strictObject({
  type: z.literal("http"),
  name: toolName,
  description: z.string().min(1).max(1024),
  parameters,
  request: z.strictObject({
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    url: literalHostUrl,
    headers: headerMap.optional(),
    query: z.record(z.string(), z.string().regex(/^[^\r\n]*$/)).optional(),
    body: jsonValueSchema.optional().describe(BODY),
  }),
  timeoutMs: z.int().min(100).max(30_000).optional(),
  maxResponseBytes: z.int().min(1).max(262_144).optional(),
});

export const mcpToolSchema = z.strictObject({
  type: z.literal("mcp"),
  name: toolName,
  url: literalHostUrl,
  headers: headerMap.optional(),
  allow: z.array(z.string().min(1).max(128)).max(64).optional(),
});

/** One entry of an agent's `tools`; `type` selects the shape. Source: CONTRACT section 2. */
export const toolDefinitionSchema = z.discriminatedUnion("type", [httpToolSchema, mcpToolSchema]);
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

/** The fixed URL a tool's first request goes to; `undefined` when it is none. */
export function toolUrl(tool: ToolDefinition): URL | undefined {
  return URL.parse(tool.type === "http" ? tool.request.url : tool.url) ?? undefined;
}
