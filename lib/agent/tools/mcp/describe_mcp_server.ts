import { type Runtime, setTimer } from "../../../platform/runtime.ts";
import type { ToolContext } from "../callable_tool.ts";
import { toErrorOutput, type ToolErrorCode } from "../tool_error.ts";
import type { McpConnection, McpTool } from "./mcp_connection.ts";
import { type ListedItem, listOrNothing, listResources, parseItems } from "./mcp_resources.ts";

/** For all requests together: somebody waits for the page. */
const TIMEOUT_MS = 30_000;
const MAX_TOOLS = 64;
const MAX_TEXT_LENGTH = 200;

/** What an MCP server offers, for people to read; `undefined` for what it does not have. */
export interface McpServerOffer {
  tools: ListedItem[];
  resources?: ListedItem[];
  prompts?: ListedItem[];
}

export type McpServerReport =
  | { offer: McpServerOffer }
  | { error: { code: ToolErrorCode; message: string } };

/** Connects to a server once, lists what it offers, and closes the connection. */
export async function describeMcpServer(
  definition: McpTool,
  { context, runtime, signal }: {
    context: ToolContext;
    runtime: Pick<Runtime, "sleep">;
    signal: AbortSignal;
  },
): Promise<McpServerReport> {
  const { McpConnection } = await import("./mcp_connection.ts");
  let connection: McpConnection | undefined;
  const late = new AbortController();
  const cancelTimer = setTimer(runtime, TIMEOUT_MS, () => late.abort());
  const untilLate = AbortSignal.any([signal, late.signal]);
  const redact = (value: unknown) => context.redactor.redactValue(value);
  try {
    connection = await McpConnection.create(definition, { context, runtime });
    await connection.connect(untilLate);
    return { offer: redact(await readOffer(connection, untilLate)) as McpServerOffer };
  } catch (error) {
    return redact(toErrorOutput(error)) as McpServerReport;
  } finally {
    cancelTimer();
    await connection?.close();
  }
}

async function readOffer(connection: McpConnection, signal: AbortSignal): Promise<McpServerOffer> {
  const tools = (await connection.list(signal)).slice(0, MAX_TOOLS)
    .map(({ name, description }) => ({
      name: name.slice(0, MAX_TEXT_LENGTH),
      ...description !== undefined && { description: description.slice(0, MAX_TEXT_LENGTH) },
    }));
  const offer: McpServerOffer = { tools };
  if (connection.has("resources")) {
    const { resources, templates = [] } = await listResources(connection, signal);
    offer.resources = [...resources, ...templates];
  }
  if (connection.has("prompts")) {
    const { prompts } = await listOrNothing(connection, { method: "prompts/list", signal });
    offer.prompts = parseItems(prompts);
  }
  return offer;
}
