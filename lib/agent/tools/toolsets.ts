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

/** Makes the toolset of each run; what one process shares among them is here. */
export class Toolsets {
  #egress: Pick<Egress, "fetch" | "open">;
  #findSecret: FindTenantSecret;
  #checks = new ArgumentChecks();

  constructor(
    parts: { egress: Pick<Egress, "fetch" | "open">; findSecret: FindTenantSecret },
  ) {
    this.#egress = parts.egress;
    this.#findSecret = parts.findSecret;
  }

  /** The tools of one run of `agent`; close it when the run has ended. */
  open(
    { tenant, agent, builtIn = [] }: {
      tenant: string;
      agent: Pick<Agent, "tools" | "allowedDomains">;
      builtIn?: readonly CallableTool[];
    },
  ): Toolset {
    return createToolset({
      tools: agent.tools,
      allowedDomains: agent.allowedDomains,
      egress: this.#egress,
      secret: (name) => this.#findSecret(tenant, name),
      checks: this.#checks,
      builtIn,
    });
  }
}
