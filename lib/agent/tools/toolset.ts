import type { EgressCall } from "../../egress/egress_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { ModelTool } from "../../providers/model.ts";
import type { ToolDefinition } from "../../schemas/tool_definition.ts";
import type { ArgumentValidator } from "./arguments/compile_parameters.ts";
import type { ValidatorCache } from "./arguments/validator_cache.ts";
import { callHttpTool, type ToolContext } from "./http/call_http_tool.ts";
import { openMcpTools } from "./mcp/open_mcp_tools.ts";
import { Redactor } from "./redactor.ts";
import { toErrorOutput, ToolError } from "./tool_error.ts";

/** A tool a model may call; `args` match its schema. Its failures are `ToolError`s. */
export interface CallableTool {
  tool: ModelTool;
  /** Whoever is called checks the arguments too, so a schema that we cannot check by refuses nothing. */
  validatedByServer?: boolean;
  call(args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
}

export interface ToolsetOptions
  extends Pick<ToolContext, "egress" | "findSecret" | "tenant" | "agentId" | "allowedDomains"> {
  /** The agent's own. */
  tools: readonly ToolDefinition[];
  validators: ValidatorCache;
  runtime: Pick<Runtime, "sleep">;
  /** How long MCP servers may take to list their tools, milliseconds. */
  listTimeoutMs: number;
  /** The service's own, such as `search_knowledge`; an agent's tool of the same name yields. */
  builtIn?: readonly CallableTool[];
}

/** The tools of one run. */
export interface Toolset {
  /**
   * What the model is told of, asked for once: MCP servers are listed at the first call, and one
   * that does not answer is left out. Only our faults throw.
   */
  listTools(signal: AbortSignal): Promise<readonly ModelTool[]>;
  /** Carries out one call; a failure is `{ error: { code, message } }`. Only our faults throw. */
  execute(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
  /** Every hop of every call so far. */
  readonly egressCalls: readonly EgressCall[];
  /** Which tools of which server the model was not told of, and why. */
  readonly notes: readonly string[];
  /** Closes the connections to MCP servers. Never throws. */
  close(): Promise<void>;
}

const MAX_TOOLS = 128;
const MAX_RECORDED_CALLS = 1_000;
/** A name of DNS and its port; a longer one has been refused. */
const MAX_HOST_LENGTH = 260;

export function createToolset(options: ToolsetOptions): Toolset {
  const redactor = new Redactor();
  const ledger: EgressCall[] = [];
  const notes: string[] = [];
  const record = (call: EgressCall) => {
    if (ledger.length >= MAX_RECORDED_CALLS) return;
    // A redirect's host is its server's to choose, and could spell out what it was sent.
    const clean = { ...call, host: redactor.redactText(call.host).slice(0, MAX_HOST_LENGTH) };
    if (call.refused !== undefined) clean.refused = redactor.redactText(call.refused);
    ledger.push(clean);
  };
  const { egress, findSecret, tenant, agentId, allowedDomains } = options;
  const world: ToolContext = {
    egress,
    findSecret,
    tenant,
    agentId,
    allowedDomains,
    redactor,
    recordCall: record,
  };
  const own = httpTools(options, world);
  // A server may list what it was sent, and what a check says of arguments is cut.
  const cleaned = (tool: ModelTool) => redactor.redactValue(tool) as ModelTool;
  let opened: ReturnType<typeof openMcpTools> | undefined;
  const open = async (signal: AbortSignal) => {
    const servers = options.tools.filter((tool) => tool.type === "mcp");
    if (servers.length === 0) return own;
    const taken = new Set(own.keys());
    opened ??= openMcpTools(servers, {
      ...options,
      context: world,
      signal,
      notes,
      takenNames: taken,
    });
    const { tools } = await opened;
    return new Map([...own, ...tools].slice(0, MAX_TOOLS));
  };
  return {
    egressCalls: ledger,
    notes,
    async listTools(signal) {
      const tools = await open(signal);
      return [...tools.values()].map(({ tool }) => cleaned(tool));
    },
    async execute(name, args, signal) {
      const found = (await open(signal)).get(name);
      const check = (given: CallableTool) =>
        options.validators.get(cleaned(given.tool).parameters, given);
      const output = await callTool(found, { name, args, signal, check });
      return redactor.redactValue(output);
    },
    close: async () => await opened?.then(({ close }) => close(), () => {}),
  };
}

/** By name, in the order a model is told of them. A map: what an object inherits is no tool. */
function httpTools(options: ToolsetOptions, world: ToolContext): Map<string, CallableTool> {
  const tools = new Map((options.builtIn ?? []).map((one) => [one.tool.name, one]));
  for (const definition of options.tools) {
    if (definition.type !== "http" || tools.has(definition.name)) continue;
    const { name, description, parameters } = definition;
    tools.set(name, {
      tool: { name, description, parameters },
      call: (args, signal) => callHttpTool(definition, args, { world, signal }),
    });
  }
  return tools;
}

async function callTool(
  found: CallableTool | undefined,
  { name, args, signal, check }: {
    name: string;
    args: unknown;
    signal: AbortSignal;
    check: (tool: CallableTool) => ArgumentValidator;
  },
): Promise<unknown> {
  try {
    if (found === undefined) {
      throw new ToolError("tool_unknown", `there is no tool named ${name}`);
    }
    const fault = check(found)(args);
    if (fault !== undefined) throw new ToolError("tool_invalid_arguments", fault);
    // Whatever the schema says, a call without an object of arguments fills no template.
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new ToolError("tool_invalid_arguments", "the arguments are not a JSON object");
    }
    return await found.call(args as Record<string, unknown>, signal);
  } catch (error) {
    return toErrorOutput(error);
  }
}
