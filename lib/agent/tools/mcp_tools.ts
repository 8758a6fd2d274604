import { type Runtime, setTimer } from "../../system.ts";
import type { ToolWorld } from "./http_tool.ts";
import { nameTools } from "./mcp_names.ts";
import type { ListedTool } from "./mcp_list.ts";
import type { McpServer, McpTool } from "./mcp_server.ts";
import { failureOutput } from "./tool_failure.ts";
import type { CallableTool } from "./toolset.ts";

/** The tools of an agent's MCP servers, by the names a model knows them by. */
export interface McpTools {
  tools: Map<string, CallableTool>;
  close(): Promise<void>;
}

export interface McpOptions {
  world: ToolWorld;
  signal: AbortSignal;
  system: Pick<Runtime, "sleep">;
  /** For shaking hands and listing together, milliseconds. */
  listMs: number;
  /** Is told which tools are left out, and why. */
  notes: string[];
  /** Names that are given already. */
  taken: Set<string>;
}

interface Listed {
  definition: McpTool;
  connection: McpServer;
  listed: ListedTool[];
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
  const { McpServer } = await import("./mcp_server.ts");
  const { world, signal, system, listMs, notes } = options;
  const connections: McpServer[] = [];
  const closing: Promise<void>[] = [];
  const close = async () =>
    void await Promise.all([...closing, ...connections.map((one) => one.close())]);
  const late = new AbortController();
  const callOff = setTimer(system, listMs, () => late.abort());
  const attempts = await Promise.allSettled(definitions.map(open));
  callOff();
  const fault = attempts.find((one) => one.status === "rejected");
  if (fault !== undefined) {
    await close();
    throw fault.reason;
  }
  const servers = attempts.flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : []);
  return { tools: namedTools(servers, options), close };

  async function open(definition: McpTool): Promise<Listed | undefined> {
    let connection: McpServer | undefined;
    try {
      connection = await McpServer.of(definition, world);
      const inTime = AbortSignal.any([signal, late.signal]);
      await connection.connect(inTime);
      const listed = await connection.list(inTime);
      connections.push(connection);
      return { definition, connection, listed };
    } catch (error) {
      // A server that hangs would hang here as well: whoever ends the run waits for it, if anybody.
      if (connection !== undefined) closing.push(connection.close());
      const { code, message } = failureOutput(error).error;
      const isLate = late.signal.aborted && !signal.aborted;
      const why = isLate ? `the server did not list its tools within ${listMs} ms` : message;
      notes.push(`${definition.name}: ${code}: ${world.redactor.text(why)}`);
      return undefined;
    }
  }
}

/** By the names a model knows them by, each with the call that it is. */
function namedTools(servers: readonly Listed[], options: McpOptions): Map<string, CallableTool> {
  const tools = new Map<string, CallableTool>();
  const { taken, notes, world: { redactor } } = options;
  const leftOut = (note: string) => void notes.push(note);
  const clean = (text: string) => redactor.text(text);
  for (const { definition: { name: server, allow }, connection, listed } of servers) {
    for (const { name, tool } of nameTools(listed, { server, allow, taken, leftOut, clean })) {
      const call: CallableTool["call"] = (args, signal) => connection.call(name, args, signal);
      tools.set(tool.name, { tool, checkedAgain: true, call });
    }
  }
  return tools;
}
