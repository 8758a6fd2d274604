import { z } from "zod";
import { CALL_BOUNDS, TOOL_PROGRESS_LENGTH } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { jsonValueSchema } from "./value_schemas.ts";

/** Valid tool names; every provider accepts them. */
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
  checkSchemaSize(schema, ctx);
});

function checkSchemaSize(schema: Record<string, unknown>, ctx: z.RefinementCtx): void {
  if (new TextEncoder().encode(JSON.stringify(schema)).length > SCHEMA_BYTES) {
    ctx.addIssue({ code: "custom", message: "must be at most 16 KiB" });
  }
}

const literalHostUrl = z.string().max(8192).superRefine((value, ctx) => {
  const message = urlIssue(value);
  if (message !== undefined) ctx.addIssue({ code: "custom", message });
});

function urlIssue(value: string): string | undefined {
  const host = /^https?:\/\/([^/?#]*)/i.exec(value)?.[1];
  if (host === undefined || host === "") return "must be an http(s) URL";
  if (/[{@\\]/.test(host)) return "the host must be a literal";
  if (!URL.canParse(value)) return "must be a URL";
  return value.includes("{{secret.") ? "a secret must not be in the URL" : undefined;
}

const BODY =
  "Sent as JSON, or as a form if `content-type` is `application/x-www-form-urlencoded`. With any " +
  "other type a string is sent unchanged. `{{param}}` inserts an argument, encoded for JSON, JSON " +
  "lines, forms and XML, and unencoded for `text/plain` and `text/markdown`; with any other type a " +
  "string must not contain it, unless it consists of `{{param}}` alone.";

/** One line: pages show it beside a spinner. */
const progress = plainText(z.string().trim().min(1).max(TOOL_PROGRESS_LENGTH))
  .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters")
  .optional()
  .describe(
    "What visitors read while the tool runs, such as “Looking up your order…”. The frame " +
      "`tool_call` has it; the model does not see it.",
  );

const title = plainText(z.string().trim().min(1).max(CALL_BOUNDS.titleLength))
  .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters")
  .optional()
  .describe("What people read in place of the tool's name. The model does not see it.");

/** Who must agree before a call is made. */
export const APPROVALS = ["never", "visitor", "person"] as const;

const approval = z.enum(APPROVALS).optional().describe(
  "Who must agree to each call: the `visitor` in the chat, or a `person` of your team in the " +
    "inbox. The run waits for at most 60 seconds, and silence declines the call. Default: `never`.",
);

const idempotent = z.boolean().optional().describe(
  "Repeating a call with the same `Idempotency-Key` has no further effect, so that a call whose " +
    "outcome is unknown is repeated: after a timeout, a lost connection, or 502, 503 and 504. " +
    "Default: `false`, and only calls that never reached the server are repeated.",
);

const parallel = z.boolean().optional().describe(
  "Calls may run beside others of the same step. Needs a tool without side effects (`GET`) or one " +
    "that is `idempotent`. Default: `false`.",
);

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
  progress,
  ...{ title, approval, idempotent, parallel },
});

export const mcpToolSchema = z.strictObject({
  type: z.literal("mcp"),
  name: toolName,
  url: literalHostUrl,
  headers: headerMap.optional(),
  allow: z.array(z.string().min(1).max(128)).max(64).optional(),
  resources: z.boolean().optional().describe(
    "Whether the model may also list and read the server's resources, with the tools " +
      "`<name>_list_resources` and `<name>_read_resource`. `false` by default.",
  ),
  progress,
  ...{ title, approval, idempotent, parallel },
});

export const agentToolSchema = z.strictObject({
  type: z.literal("agent"),
  name: toolName,
  description: z.string().min(1).max(1024),
  agentId: z.uuid().toLowerCase().describe(
    "Another agent of the tenant. It gets one `message`, and answers within the budget of the run that " +
      "asks. At most two agents below the first one; none may be asked by itself.",
  ),
  title,
  progress,
});
export type AgentTool = z.infer<typeof agentToolSchema>;

/** Also of values that are no objects, unlike `parameters`. */
const outputSchema = z.record(z.string(), jsonValueSchema).superRefine(checkSchemaSize)
  .describe("JSON schema of the output; without it, any JSON value.");

export const clientToolSchema = z.strictObject({
  type: z.literal("client"),
  name: toolName,
  description: z.string().min(1).max(1024),
  parameters,
  output: outputSchema.optional(),
  timeoutMs: z.int().min(1_000).max(60_000).optional()
    .describe("How long a call waits for the page, milliseconds. Default: 30,000."),
  progress,
  title,
}).describe("Executed by the visitor's page, which sends the output.");

/** One entry of an agent's `tools`; `type` selects the shape. Source: CONTRACT section 2. */
export const toolDefinitionSchema = z.discriminatedUnion("type", [
  httpToolSchema,
  mcpToolSchema,
  clientToolSchema,
  agentToolSchema,
]);
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

export type ClientTool = Extract<ToolDefinition, { type: "client" }>;

/** A tool that the service calls over HTTP. */
export type RemoteTool = Extract<ToolDefinition, { type: "http" | "mcp" }>;

export function isRemoteTool(tool: ToolDefinition): tool is RemoteTool {
  return tool.type === "http" || tool.type === "mcp";
}

/** The URL of a tool's first request; `undefined` if invalid. */
export function toolUrl(tool: RemoteTool): URL | undefined {
  return URL.parse(tool.type === "http" ? tool.request.url : tool.url) ?? undefined;
}

/** True if a call that is made twice has the effect of one. */
export function isRepeatable(tool: RemoteTool): boolean {
  return tool.idempotent === true || (tool.type === "http" && tool.request.method === "GET");
}
