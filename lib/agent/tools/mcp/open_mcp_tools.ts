import { type Runtime, setTimer } from "../../../platform/runtime.ts";
import type { ToolContext } from "../http/call_http_tool.ts";
import { selectTools } from "./select_tools.ts";
import type { ListedTool } from "./mcp_messages.ts";
import type { McpConnection, McpTool } from "./mcp_connection.ts";
import { toErrorOutput } from "../tool_error.ts";
import type { CallableTool } from "../toolset.ts";

/** The tools of an agent's MCP servers, by the names a model knows them by. */
export interface McpTools {
  tools: Map<string, CallableTool>;
  close(): Promise<void>;
}

export interface McpOptions {
  context: ToolContext;
  signal: AbortSignal;
  runtime: Pick<Runtime, "sleep">;
  /** For shaking hands and listing together, milliseconds. */
  listTimeoutMs: number;
  /** Is told which tools are left out, and why. */
  notes: string[];
  /** Names that are given already. */
  takenNames: Set<string>;
}

interface ConnectedServer {
  definition: McpTool;
  connection: McpConnection;
  tools: ListedTool[];
}

/**
 * Connects to all servers at once and lists what they offer. One that fails, or has not done so after
 * `listMs`, is left out and noted: an agent with one server down still answers. The client library is
 * loaded only here, because most agents never need it.
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
  const late = new AbortController();
  const callOff = setTimer(runtime, listTimeoutMs, () => late.abort());
  const attempts = await Promise.allSettled(definitions.map(open));
  callOff();
  const fault = attempts.find((one) => one.status === "rejected");
  if (fault !== undefined) {
    await close();
    throw fault.reason;
  }
  const servers = attempts.flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : []);
  return { tools: callableTools(servers, options), close };

  async function open(definition: McpTool): Promise<ConnectedServer | undefined> {
    let connection: McpConnection | undefined;
    try {
      connection = await McpConnection.create(definition, context);
      const inTime = AbortSignal.any([signal, late.signal]);
      await connection.connect(inTime);
      const listed = await connection.list(inTime);
      connections.push(connection);
      return { definition, connection, tools: listed };
    } catch (error) {
      // A server that hangs would hang here as well: whoever ends the run waits for it, if anybody.
      if (connection !== undefined) closing.push(connection.close());
      const { code, message } = toErrorOutput(error).error;
      const isLate = late.signal.aborted && !signal.aborted;
      const why = isLate ? `the server did not list its tools within ${listTimeoutMs} ms` : message;
      notes.push(`${definition.name}: ${code}: ${context.redactor.redactText(why)}`);
      return undefined;
    }
  }
}

/** By the names a model knows them by, each with the call that it is. */
function callableTools(
  servers: readonly ConnectedServer[],
  options: McpOptions,
): Map<string, CallableTool> {
  const tools = new Map<string, CallableTool>();
  const { takenNames, notes, context: { redactor } } = options;
  const leftOut = (note: string) => void notes.push(note);
  const clean = (text: string) => redactor.redactText(text);
  for (const { definition: { name: server, allow }, connection, tools: listed } of servers) {
    for (
      const { name, tool } of selectTools(listed, {
        server,
        allow,
        taken: takenNames,
        leftOut,
        clean,
      })
    ) {
      const call: CallableTool["call"] = (args, signal) => connection.call(name, args, signal);
      tools.set(tool.name, { tool, validatedByServer: true, call });
    }
  }
  return tools;
}
