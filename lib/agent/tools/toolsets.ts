import type { Egress } from "../../egress/egress.ts";
import type { Agent } from "../../wire/agent.ts";
import { ArgumentChecks } from "./argument_checks.ts";
import { type CallableTool, createToolset, type Toolset } from "./toolset.ts";
import type { ToolSecret } from "./tool_secrets.ts";

/** Finds a tenant's secret by name. */
export type FindTenantSecret = (
  tenant: string,
  name: string,
) => ToolSecret | undefined | Promise<ToolSecret | undefined>;

/** Whose run it is, and on which agent's behalf. */
export interface ToolsetRequest {
  tenant: string;
  agent: Pick<Agent, "tools" | "allowedDomains"> & Partial<Pick<Agent, "id" | "knowledgeBaseId">>;
  source?: { kind: "key" | "session" | "user"; id: string };
}

/** Makes the toolset of each run; what one process shares among them is here. */
export class Toolsets {
  #egress: Pick<Egress, "fetch" | "open">;
  #findSecret: FindTenantSecret;
  #builtIn: (request: ToolsetRequest) => readonly CallableTool[];
  #checks = new ArgumentChecks();

  /** `builtIn` makes the tools that the service itself has for an agent. */
  constructor(
    parts: {
      egress: Pick<Egress, "fetch" | "open">;
      findSecret: FindTenantSecret;
      builtIn?: (request: ToolsetRequest) => readonly CallableTool[];
    },
  ) {
    this.#egress = parts.egress;
    this.#findSecret = parts.findSecret;
    this.#builtIn = parts.builtIn ?? (() => []);
  }

  /** The tools of one run of `agent`; close it when the run has ended. */
  open(request: ToolsetRequest): Toolset {
    const { tenant, agent } = request;
    return createToolset({
      tools: agent.tools,
      allowedDomains: agent.allowedDomains,
      egress: this.#egress,
      secret: (name) => this.#findSecret(tenant, name),
      checks: this.#checks,
      builtIn: this.#builtIn(request),
    });
  }
}
