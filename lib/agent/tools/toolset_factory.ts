import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Coverage } from "../../schemas/coverage.ts";
import type { Agent } from "../../schemas/agent.ts";
import { canAnswerCalls, type ChatProtocol } from "../../schemas/chat_protocol.ts";
import { ValidatorCache } from "./arguments/validator_cache.ts";
import type { AskAgent } from "./ask_agent_tool.ts";
import type { AskVisitor, CallableTool, McpTokens } from "./callable_tool.ts";
import { describeMcpServer, type McpServerReport } from "./mcp/describe_mcp_server.ts";
import type { Rerank } from "./rerank_passages.ts";
import { Redactor } from "./redactor.ts";
import type { FindSecret } from "./tool_secrets.ts";
import { createToolset, type Toolset } from "./toolset.ts";
import { type KnownVisitor, visitorValues } from "../visitor_variables.ts";

/** Limit for listing the tools of MCP servers, while the user sees nothing. */
const LIST_TIMEOUT_MS = 5_000;
/** Limit as a share of the run's time, so that an agent with one server down still answers. */
const MAX_LIST_SHARE = 1 / 3;

/** A stored conversation and a run of it. */
export interface RunConversation {
  id: string;
  runId: string;
  origin?: string | undefined;
  /** The visitor's hash. */
  visitor?: string | undefined;
}

export interface ToolsetRequest {
  tenant: string;
  agent:
    & Pick<Agent, "tools" | "allowedDomains">
    & Partial<
      Pick<
        Agent,
        | "id"
        | "knowledgeBaseId"
        | "budget"
        | "variables"
        | "handoff"
        | "memory"
        | "retentionDays"
        | "followUps"
      >
    >;
  visitor?: KnownVisitor | undefined;
  source?: { kind: "key" | "session" | "user"; id: string; protocol?: ChatProtocol | undefined };
  /** The run and its conversation; absent if the conversation is not stored. */
  conversation?: RunConversation | undefined;
  askAgent?: AskAgent | undefined;
  /** Of an agent that names a model for it. */
  rerank?: Rerank | undefined;
  /** Called after each search of the knowledge base with how much it found. */
  onCoverage?: ((coverage: Coverage) => void) | undefined;
  /** Of a run that can wait for its visitor, for the questions of MCP servers. */
  askVisitor?: AskVisitor | undefined;
}

export interface ToolsetFactoryDeps {
  egress: Pick<Egress, "fetch" | "open">;
  findSecret: (tenant: string, name: string) => ReturnType<FindSecret>;
  runtime: Pick<Runtime, "now" | "sleep">;
  /** The access tokens of a tenant. */
  mcpTokens?: (tenant: string) => McpTokens;
  builtIn?: (request: ToolsetRequest) => readonly CallableTool[];
}

/** Creates the toolset of each run; all share one cache of compiled schemas. */
export class ToolsetFactory {
  readonly #deps: ToolsetFactoryDeps;
  readonly #validators = new ValidatorCache();

  constructor(deps: ToolsetFactoryDeps) {
    this.#deps = deps;
  }

  /** Close the toolset when the run has ended. */
  create(request: ToolsetRequest): Toolset {
    const { tenant, agent, visitor, source, askAgent } = request;
    // Without a page that could answer, the model does not see its tools.
    const hasPage = canAnswerCalls(source?.protocol);
    const { egress, findSecret, runtime, builtIn, mcpTokens } = this.#deps;
    const share = Math.floor((agent.budget?.wallClockMs ?? Infinity) * MAX_LIST_SHARE);
    return createToolset({
      tools: agent.tools.filter(({ type }) => hasPage || type !== "client"),
      tenant,
      agentId: agent.id,
      allowedDomains: agent.allowedDomains,
      visitor: visitorValues(agent.variables, visitor),
      egress,
      findSecret: (name) => findSecret(tenant, name),
      mcpTokens: mcpTokens?.(tenant),
      askVisitor: request.askVisitor,
      validators: this.#validators,
      runtime,
      listTimeoutMs: Math.min(LIST_TIMEOUT_MS, share),
      builtIn: builtIn?.(request) ?? [],
      askAgent,
    });
  }

  /** Lists what an agent's MCP server offers, without a run; `undefined` if it has no such server. */
  async describeServer(
    { tenant, agent, name, signal }: Pick<ToolsetRequest, "tenant" | "agent"> & {
      name: string;
      signal: AbortSignal;
    },
  ): Promise<McpServerReport | undefined> {
    const tool = agent.tools.find((one) => one.type === "mcp" && one.name === name);
    if (tool?.type !== "mcp") return undefined;
    const { egress, findSecret, runtime, mcpTokens } = this.#deps;
    const context = {
      ...{ egress, tenant, agentId: agent.id, allowedDomains: agent.allowedDomains },
      findSecret: (secret: string) => findSecret(tenant, secret),
      visitor: visitorValues(agent.variables, undefined),
      redactor: new Redactor(),
      mcpTokens: mcpTokens?.(tenant),
      recordCall: () => {},
    };
    return await describeMcpServer(tool, { context, runtime, signal });
  }
}
