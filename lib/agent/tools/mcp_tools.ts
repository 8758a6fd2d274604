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

/**
 * Connects to all servers at once and lists what they offer. One that fails is left out and noted:
 * an agent with one server down still answers. The client library is loaded only here, because
 * most agents never need it.
 */
export async function openMcpTools(
  definitions: readonly McpTool[],
  options: { world: ToolWorld; signal: AbortSignal; notes: string[]; taken: Set<string> },
): Promise<McpTools> {
  const { McpServer } = await import("./mcp_server.ts");
  const attempts = await Promise.allSettled(definitions.map((one) => open(one, options)));
  const servers = attempts.flatMap((one) => one.status === "fulfilled" ? one.value ?? [] : []);
  const close = async () => void await Promise.all(servers.map((one) => one.connection.close()));
  const fault = attempts.find((one) => one.status === "rejected");
  if (fault !== undefined) {
    await close();
    throw fault.reason;
  }
  const tools = new Map<string, CallableTool>();
  for (const found of servers) {
    const { definition: { name: server, allow }, connection, listed } = found;
    const leftOut = (note: string) => void options.notes.push(note);
    const clean = (text: string) => options.world.redactor.text(text);
    for (const { name, tool } of nameTools(listed, { ...options, server, allow, leftOut, clean })) {
      const call: CallableTool["call"] = (args, signal) => connection.call(name, args, signal);
      tools.set(tool.name, { tool, call });
    }
  }
  return { tools, close };

  async function open(
    definition: McpTool,
    { world, signal, notes }: { world: ToolWorld; signal: AbortSignal; notes: string[] },
  ): Promise<
    { definition: McpTool; connection: McpServer; listed: ListedTool[] } | undefined
  > {
    let connection: McpServer | undefined;
    try {
      connection = await McpServer.connect(definition, { world, signal });
      return { definition, connection, listed: await connection.list(signal) };
    } catch (error) {
      await connection?.close();
      const { code, message } = failureOutput(error).error;
      notes.push(`${definition.name}: ${code}: ${world.redactor.text(message)}`);
      return undefined;
    }
  }
}
