import { isJsonObject } from "../../../platform/json.ts";
import { TOOL_NAME } from "../../../schemas/tool_definition.ts";
import type { CallableTool } from "../callable_tool.ts";
import { remoteTraits } from "../remote_traits.ts";
import { ToolError } from "../tool_error.ts";
import type { McpConnection, McpTool } from "./mcp_connection.ts";
import { toToolOutput } from "./mcp_results.ts";

const MAX_LISTED = 100;
const MAX_URI_LENGTH = 2_048;
const MAX_TEXT_LENGTH = 200;

/** A resource or a prompt of a server, as a list shows it. */
export interface ListedItem {
  name: string;
  description?: string;
  uri?: string;
  mimeType?: string;
}

/** Parses a server's list of resources, templates or prompts; skips what is not valid. */
export function parseItems(list: unknown, uriField?: "uri" | "uriTemplate"): ListedItem[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_LISTED).flatMap((item: unknown) => {
    if (!isJsonObject(item) || typeof item.name !== "string") return [];
    const uri = uriField && item[uriField];
    if (uriField && (typeof uri !== "string" || uri.length > MAX_URI_LENGTH)) return [];
    const { name, description, mimeType } = item;
    return [{
      ...typeof uri === "string" && { uri },
      name: cut(name),
      ...typeof description === "string" && { description: cut(description) },
      ...typeof mimeType === "string" && { mimeType: cut(mimeType) },
    }];
  });
}

/**
 * The tools with which a model lists and reads a server's resources: `<server>_list_resources` and
 * `<server>_read_resource`. Both outputs are bounded like any tool's, and only text is returned.
 */
export function resourceTools(definition: McpTool, connection: McpConnection): CallableTool[] {
  // An address can carry what the model knows to the server, so reading waits like any other call.
  const { title, wait } = remoteTraits(definition);
  return [listTool(definition, connection), readTool(definition, connection)]
    .filter(({ tool }) => TOOL_NAME.test(tool.name))
    .map((tool) => ({ ...tool, title, wait }));
}

function listTool({ name, progress }: McpTool, connection: McpConnection): CallableTool {
  return {
    tool: {
      name: `${name}_list_resources`,
      description: `Lists the resources of ${name} that can be read, with their URIs.`,
      parameters: { type: "object", properties: {}, additionalProperties: false },
    },
    progress,
    call: async (_args, { signal }) => {
      const structuredContent = await listResources(connection, signal);
      return toToolOutput({ structuredContent }, connection.redactor);
    },
  };
}

function readTool({ name, progress }: McpTool, connection: McpConnection): CallableTool {
  const description = `As ${name}_list_resources lists it, or a filled-in template.`;
  const uri = { type: "string", minLength: 1, maxLength: MAX_URI_LENGTH, description };
  return {
    tool: {
      name: `${name}_read_resource`,
      description: `Reads the text of a resource of ${name}.`,
      parameters: {
        type: "object",
        properties: { uri },
        required: ["uri"],
        additionalProperties: false,
      },
    },
    progress,
    call: async (args, { signal }) => {
      const { contents } = await connection.request("resources/read", { uri: args.uri }, signal);
      if (!Array.isArray(contents)) throw new ToolError("tool_http_error", "there is no content");
      const content = contents.map((resource) => ({ type: "resource", resource }));
      return toToolOutput({ content }, connection.redactor);
    },
  };
}

/** The first page of each list; a server without templates is common. */
export async function listResources(
  connection: McpConnection,
  signal: AbortSignal,
): Promise<{ resources: ListedItem[]; templates?: ListedItem[] }> {
  const listed = await connection.request("resources/list", {}, signal);
  const templates = await listOrNothing(connection, { method: "resources/templates/list", signal });
  const known = parseItems(templates.resourceTemplates, "uriTemplate");
  return {
    resources: parseItems(listed.resources, "uri"),
    ...known.length > 0 && { templates: known },
  };
}

/** The first page of a list that a server need not have. */
export async function listOrNothing(
  connection: McpConnection,
  { method, signal }: { method: string; signal: AbortSignal },
): Promise<Record<string, unknown>> {
  try {
    return await connection.request(method, {}, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return {};
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}
