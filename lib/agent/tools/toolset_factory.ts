import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ValidatorCache } from "./arguments/validator_cache.ts";
import { type CallableTool, createToolset, type Toolset } from "./toolset.ts";
import type { ToolSecret } from "./tool_secrets.ts";

/** Finds a tenant's secret by name. */
export type FindTenantSecret = (
  tenant: string,
  name: string,
) => ToolSecret | undefined | Promise<ToolSecret | undefined>;

/** How long MCP servers may take to list their tools; nobody is told anything in the meantime. */
const LIST_TIMEOUT_MS = 5_000;
/** And of a short run, a third at most: an agent with one server down still answers. */
const MAX_LIST_SHARE = 1 / 3;

/** Whose run it is, and on which agent's behalf. */
export interface ToolsetRequest {
  tenant: string;
  agent:
    & Pick<Agent, "tools" | "allowedDomains">
    & Partial<Pick<Agent, "id" | "knowledgeBaseId" | "budget">>;
  source?: { kind: "key" | "session" | "user"; id: string };
}

/** Makes the toolset of each run; what one process shares among them is here. */
export class ToolsetFactory {
  #egress: Pick<Egress, "fetch" | "open">;
  #findSecret: FindTenantSecret;
  #builtIn: (request: ToolsetRequest) => readonly CallableTool[];
  #runtime: Pick<Runtime, "sleep">;
  #validators = new ValidatorCache();

  /** `builtIn` makes the tools that the service itself has for an agent. */
  constructor(
    parts: {
      egress: Pick<Egress, "fetch" | "open">;
      findSecret: FindTenantSecret;
      runtime: Pick<Runtime, "sleep">;
      builtIn?: (request: ToolsetRequest) => readonly CallableTool[];
    },
  ) {
    this.#egress = parts.egress;
    this.#findSecret = parts.findSecret;
    this.#runtime = parts.runtime;
    this.#builtIn = parts.builtIn ?? (() => []);
  }

  /** The tools of one run of `agent`; close it when the run has ended. */
  create(request: ToolsetRequest): Toolset {
    const { tenant, agent } = request;
    const part = Math.floor((agent.budget?.wallClockMs ?? Infinity) * MAX_LIST_SHARE);
    return createToolset({
      tools: agent.tools,
      tenant,
      agentId: agent.id,
      allowedDomains: agent.allowedDomains,
      egress: this.#egress,
      findSecret: (name) => this.#findSecret(tenant, name),
      validators: this.#validators,
      runtime: this.#runtime,
      listTimeoutMs: Math.min(LIST_TIMEOUT_MS, part),
      builtIn: this.#builtIn(request),
    });
  }
}
