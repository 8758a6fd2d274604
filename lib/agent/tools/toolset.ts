import type { EgressCall } from "../../egress/egress_error.ts";
import { isJsonObject } from "../../platform/json.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { JsonSchema, ModelTool } from "../../providers/model.ts";
import type { ClientTool, ToolDefinition } from "../../schemas/tool_definition.ts";
import type { ArgumentValidator } from "./arguments/compile_parameters.ts";
import type { ValidatorCache } from "./arguments/validator_cache.ts";
import { type AskAgent, askAgentTool } from "./ask_agent_tool.ts";
import type { CallableTool, ToolCallContext, ToolContext, ToolTraits } from "./callable_tool.ts";
import { remoteTraits } from "./remote_traits.ts";
import { callHttpTool } from "./http/call_http_tool.ts";
import { openMcpTools } from "./mcp/open_mcp_tools.ts";
import { Redactor } from "./redactor.ts";
import { toErrorOutput, ToolError } from "./tool_error.ts";
import type { VisitorValues } from "../visitor_variables.ts";

export interface ToolsetOptions
  extends
    Pick<ToolContext, "egress" | "findSecret" | "tenant" | "agentId" | "allowedDomains">,
    Pick<ToolContext, "mcpTokens" | "askVisitor"> {
  /** The run's visitor; without one, templates have no variables. */
  visitor?: VisitorValues;
  tools: readonly ToolDefinition[];
  validators: ValidatorCache;
  runtime: Pick<Runtime, "now" | "sleep">;
  /** Limit for listing the tools of MCP servers, in milliseconds. */
  listTimeoutMs: number;
  /** Asks other agents; without it, tools of type `agent` are left out. */
  askAgent?: AskAgent | undefined;
  /** Tools of the service, such as `search_knowledge`; they win over agent tools of the same name. */
  builtIn?: readonly CallableTool[];
}

/** The tools of one run. Its methods throw only unexpected errors. */
export interface Toolset {
  /** The tools for the model. The first call lists those of MCP servers; failing servers are omitted. */
  listTools(signal: AbortSignal): Promise<readonly ModelTool[]>;
  /** Of a tool that was listed; empty for any other name. */
  traitsOf(name: string): ToolTraits;
  /** The output of a call whose arguments the tool does not accept; `undefined` for any other. */
  check(name: string, args: unknown): Promise<unknown>;
  /** Executes one call; a failure is `{ error: { code, message } }`. */
  execute(name: string, args: unknown, call: ToolCallContext): Promise<unknown>;
  /** Checks values against a schema of the agent's owner, such as its answers. */
  validatorOf(schema: JsonSchema): Promise<ArgumentValidator>;
  readonly egressCalls: readonly EgressCall[];
  readonly notes: readonly string[];
  /** Closes the connections to MCP servers. Never throws. */
  close(): Promise<void>;
}

const NO_VALUES: VisitorValues = new Map();
const MAX_TOOLS = 128;
const PAGE_TIMEOUT_MS = 30_000;
const MAX_RECORDED_CALLS = 1_000;
/** Length of a DNS name with its port; egress rejects longer ones. */
const MAX_HOST_LENGTH = 260;

export function createToolset(options: ToolsetOptions): Toolset {
  const redactor = new Redactor();
  const egressCalls: EgressCall[] = [];
  const notes: string[] = [];
  const recordCall = (call: EgressCall) => {
    if (egressCalls.length >= MAX_RECORDED_CALLS) return;
    // The target of a redirect is the server's choice and may contain what it received.
    const clean = { ...call, host: redactor.redactText(call.host).slice(0, MAX_HOST_LENGTH) };
    if (call.refused !== undefined) clean.refused = redactor.redactText(call.refused);
    egressCalls.push(clean);
  };
  const { egress, findSecret, tenant, agentId, allowedDomains, visitor = NO_VALUES } = options;
  const { mcpTokens, askVisitor } = options;
  const fixed = { egress, findSecret, tenant, agentId, allowedDomains, visitor };
  const context = { ...fixed, mcpTokens, askVisitor, redactor, recordCall };
  const localTools = localToolsOf(options, context);
  const cleaned = (tool: ModelTool) => redactor.redactValue(tool) as ModelTool;
  let opened: ReturnType<typeof openMcpTools> | undefined;
  let listed: ReadonlyMap<string, CallableTool> = localTools;
  const open = async (signal: AbortSignal) => {
    const servers = options.tools.filter((tool) => tool.type === "mcp");
    if (servers.length === 0) return localTools;
    const takenNames = new Set(localTools.keys());
    opened ??= openMcpTools(servers, { ...options, context, signal, notes, takenNames });
    const { tools } = await opened;
    return listed = new Map([...localTools, ...tools].slice(0, MAX_TOOLS));
  };
  const validated = async (
    found: CallableTool | undefined,
    { name, args }: { name: string; args: unknown },
  ): Promise<CallableTool> => {
    if (found === undefined) {
      throw new ToolError("tool_unknown", `there is no tool named ${name}`);
    }
    // Redacted before, because the validator quotes and cuts parts of the schema.
    const validate = await options.validators.get(cleaned(found.tool).parameters, found);
    // Whatever the schema allows, templates need an object.
    const issue = validate(args) ??
      (isJsonObject(args) ? undefined : "the arguments are not a JSON object");
    if (issue !== undefined) throw new ToolError("tool_invalid_arguments", issue);
    return found;
  };
  return {
    egressCalls,
    notes,
    async listTools(signal) {
      const tools = await open(signal);
      return [...tools.values()].map(({ tool }) => cleaned(tool));
    },
    traitsOf: (name) => listed.get(name) ?? {},
    validatorOf: (schema) => options.validators.get(schema),
    async check(name, args) {
      try {
        await validated(listed.get(name), { name, args });
        return undefined;
      } catch (error) {
        return redactor.redactValue(toErrorOutput(error));
      }
    },
    async execute(name, args, call) {
      const found = (await open(call.signal)).get(name);
      try {
        const tool = await validated(found, { name, args });
        return redactor.redactValue(await tool.call(args as Record<string, unknown>, call));
      } catch (error) {
        return redactor.redactValue(toErrorOutput(error));
      }
    },
    close: async () => await opened?.then(({ close }) => close(), () => {}),
  };
}

/** All tools but those of MCP servers, by name. A `Map`, because objects have inherited properties. */
function localToolsOf(options: ToolsetOptions, context: ToolContext): Map<string, CallableTool> {
  const tools = new Map((options.builtIn ?? []).map((one) => [one.tool.name, one]));
  const { runtime } = options;
  for (const definition of options.tools) {
    if (definition.type === "mcp" || tools.has(definition.name)) continue;
    if (definition.type === "agent") {
      const { askAgent } = options;
      if (askAgent) tools.set(definition.name, askAgentTool(definition, askAgent));
      continue;
    }
    const { name, description, parameters } = definition;
    const tool = { name, description, parameters };
    tools.set(
      name,
      definition.type === "client" ? pageTool(definition, tool) : {
        ...{ tool, ...remoteTraits(definition) },
        call: (args, call) => callHttpTool(definition, args, { context, call, runtime }),
      },
    );
  }
  return tools;
}

/** The visitor's page executes the tool; what it sends is redacted like any other output. */
function pageTool(
  { progress, title, timeoutMs = PAGE_TIMEOUT_MS, output }: ClientTool,
  tool: ModelTool,
): CallableTool {
  const wait = { for: "page" as const, timeoutMs, output };
  return {
    tool,
    progress,
    title,
    wait,
    call: (_args, { pageOutput }) => Promise.resolve(pageOutput),
  };
}
