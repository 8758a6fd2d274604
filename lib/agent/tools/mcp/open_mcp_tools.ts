import { type Runtime, setTimer } from "../../../platform/runtime.ts";
import type { CallableTool, ToolContext } from "../callable_tool.ts";
import { toErrorOutput } from "../tool_error.ts";
import type { McpConnection, McpTool } from "./mcp_connection.ts";
import type { ListedTool } from "./mcp_messages.ts";
import { selectTools } from "./select_tools.ts";

/** The tools of an agent's MCP servers by the names that the model uses. */
export interface McpTools {
  tools: Map<string, CallableTool>;
  close(): Promise<void>;
}

export interface McpOptions {
  context: ToolContext;
  signal: AbortSignal;
  runtime: Pick<Runtime, "sleep">;
  /** Limit for handshake and listing together, in milliseconds. */
  listTimeoutMs: number;
  /** Receives the omitted tools and the reasons. */
  notes: string[];
  takenNames: Set<string>;
}

interface ConnectedServer {
  definition: McpTool;
  connection: McpConnection;
  tools: ListedTool[];
}

/**
 * Connects to all servers in parallel and lists their tools. A server that fails or exceeds
 * `listTimeoutMs` is omitted and noted, so that the agent still answers. The MCP library is loaded only
 * here, because most agents never need it.
 */
export async function openMcpTools(
  definitions: readonly McpTool[],
  options: McpOptions,
): Promise<McpTools> {
  const { McpConnection } = await import("./mcp_connection.ts");
  const { context, signal, runtime, listTimeoutMs, notes } = options;
  const connections: McpConnection[] = [];
  const closing: Promise<void>[] = [];
  const close = async () =>
    void await Promise.all([...closing, ...connections.map((one) => one.close())]);
  const timeout = new AbortController();
  const cancelTimer = setTimer(runtime, listTimeoutMs, () => timeout.abort());
  const attempts = await Promise.allSettled(definitions.map(open));
  cancelTimer();
  const failed = attempts.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  const servers = attempts.flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : []);
  return { tools: callableTools(servers, options), close };

  async function open(definition: McpTool): Promise<ConnectedServer | undefined> {
    let connection: McpConnection | undefined;
    try {
      connection = await McpConnection.create(definition, context);
      const untilTimeout = AbortSignal.any([signal, timeout.signal]);
      await connection.connect(untilTimeout);
      const tools = await connection.list(untilTimeout);
      connections.push(connection);
      return { definition, connection, tools };
    } catch (error) {
      // A server that hangs would also hang here, so only the final `close` waits for it.
      if (connection !== undefined) closing.push(connection.close());
      const { code, message } = toErrorOutput(error).error;
      const isLate = timeout.signal.aborted && !signal.aborted;
      const reason = isLate
        ? `the server did not list its tools within ${listTimeoutMs} ms`
        : message;
      notes.push(`${definition.name}: ${code}: ${context.redactor.redactText(reason)}`);
      return undefined;
    }
  }
}

function callableTools(
  servers: readonly ConnectedServer[],
  { takenNames, notes, context: { redactor } }: McpOptions,
): Map<string, CallableTool> {
  const callable = new Map<string, CallableTool>();
  for (const { definition: { name: server, allow }, connection, tools } of servers) {
    for (
      const { name, tool } of selectTools(tools, { server, allow, takenNames, notes, redactor })
    ) {
      callable.set(tool.name, {
        tool,
        validatedByServer: true,
        call: (args, signal) => connection.call(name, args, signal),
      });
    }
  }
  return callable;
}
