import { type Runtime, setTimer } from "../../../platform/runtime.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import { TOOL_NAME } from "../../../schemas/tool_definition.ts";
import type { CallableTool, ToolContext } from "../callable_tool.ts";
import { remoteTraits } from "../remote_traits.ts";
import { toErrorOutput } from "../tool_error.ts";
import type { McpConnection, McpTool } from "./mcp_connection.ts";
import type { ListedTool } from "./mcp_messages.ts";
import { resourceTools } from "./mcp_resources.ts";

const MAX_TOOLS_PER_SERVER = 64;
const MAX_SCHEMA_BYTES = 16_384;
const MAX_DESCRIPTION_LENGTH = 1_024;

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
  notes: string[];
  takenNames: Set<string>;
}

type ConnectedServer = { definition: McpTool; connection: McpConnection; tools: ListedTool[] };

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
      connection = await McpConnection.create(definition, { context, runtime });
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

/**
 * The tools of each server for the model: those in `allow`, at most 64, with a name that providers
 * accept, prefixed with `<server>_` if it is taken, and a schema of limited size. Schemas are compiled
 * only on a call, because compiling all of them for each run would take seconds.
 */
function callableTools(
  servers: readonly ConnectedServer[],
  { takenNames, notes, context: { redactor } }: McpOptions,
): Map<string, CallableTool> {
  const callable = new Map<string, CallableTool>();
  for (const { definition, connection, tools } of servers) {
    const { name: server, allow } = definition;
    const wanted = tools.filter(({ name }) => allow === undefined || allow.includes(name));
    if (wanted.length > MAX_TOOLS_PER_SERVER) {
      notes.push(`${server}: all but ${MAX_TOOLS_PER_SERVER} tools`);
    }
    for (const tool of wanted.slice(0, MAX_TOOLS_PER_SERVER)) {
      const name = takenNames.has(tool.name) ? `${server}_${tool.name}` : tool.name;
      const issue = toolIssue(tool, { name, takenNames });
      if (issue !== undefined) {
        const original = redactor.redactText(tool.name).slice(0, 64);
        notes.push(`${server}: ${original} is left out: ${issue}`);
        continue;
      }
      takenNames.add(name);
      const description = redactor.redactText(tool.description || tool.name)
        .slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed();
      callable.set(name, {
        tool: { name, description, parameters: tool.inputSchema },
        ...remoteTraits(definition),
        validatedByServer: true,
        call: (args, call) => connection.call(tool.name, args, call),
      });
    }
    const hasResources = definition.resources === true && connection.has("resources");
    for (const one of hasResources ? resourceTools(definition, connection) : []) {
      const { name } = one.tool;
      if (takenNames.has(name)) notes.push(`${server}: ${name} is left out: its name is taken`);
      else callable.set(name, one);
      takenNames.add(name);
    }
  }
  return callable;
}

function toolIssue(
  tool: ListedTool,
  { name, takenNames }: { name: string; takenNames: ReadonlySet<string> },
): string | undefined {
  if (!TOOL_NAME.test(name)) return "its name is not one a model may call";
  if (takenNames.has(name)) return "its name is taken";
  if (isTooDeep(tool.inputSchema)) return "its schema is nested too deeply";
  const bytes = new TextEncoder().encode(JSON.stringify(tool.inputSchema)).length;
  return bytes > MAX_SCHEMA_BYTES ? "its schema is larger than 16 KiB" : undefined;
}
