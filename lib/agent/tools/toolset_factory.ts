import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ValidatorCache } from "./arguments/validator_cache.ts";
import type { AskAgent } from "./ask_agent_tool.ts";
import type { CallableTool } from "./callable_tool.ts";
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
  source?: { kind: "key" | "session" | "user"; id: string };
  /** The run and its conversation; absent if the conversation is not stored. */
  conversation?: RunConversation | undefined;
  askAgent?: AskAgent | undefined;
}

export interface ToolsetFactoryDeps {
  egress: Pick<Egress, "fetch" | "open">;
  findSecret: (tenant: string, name: string) => ReturnType<FindSecret>;
  runtime: Pick<Runtime, "sleep">;
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
    const { tenant, agent, visitor, askAgent } = request;
    const { egress, findSecret, runtime, builtIn } = this.#deps;
    const share = Math.floor((agent.budget?.wallClockMs ?? Infinity) * MAX_LIST_SHARE);
    return createToolset({
      tools: agent.tools,
      tenant,
      agentId: agent.id,
      allowedDomains: agent.allowedDomains,
      visitor: visitorValues(agent.variables, visitor),
      egress,
      findSecret: (name) => findSecret(tenant, name),
      validators: this.#validators,
      runtime,
      listTimeoutMs: Math.min(LIST_TIMEOUT_MS, share),
      builtIn: builtIn?.(request) ?? [],
      askAgent,
    });
  }
}
