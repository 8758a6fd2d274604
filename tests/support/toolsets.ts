import { ValidatorCache } from "@/lib/agent/tools/arguments/validator_cache.ts";
import { createToolset, type Toolset, type ToolsetOptions } from "@/lib/agent/tools/toolset.ts";
import type { ToolCallContext } from "@/lib/agent/tools/callable_tool.ts";
import type { ToolSecret } from "@/lib/agent/tools/tool_secrets.ts";
import { toolDefinitionSchema } from "@/lib/schemas/tool_definition.ts";
import { fakeUuid } from "./fake_runtime.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { httpTool } from "./agents.ts";
import type { EgressServer } from "./egress_server.ts";

/** A toolset on a test server, with the given secrets. */
export function toolsetOf(
  server: EgressServer,
  tools: readonly Record<string, unknown>[],
  options: { secrets?: Record<string, ToolSecret> } & Partial<ToolsetOptions> = {},
): Toolset {
  return createToolset({
    tools: tools.map((tool) => toolDefinitionSchema.parse(tool)),
    egress: server.egress,
    findSecret: (name) => new Map(Object.entries(options.secrets ?? {})).get(name),
    tenant: fakeUuid(1),
    allowedDomains: ["tools.example.com", "other.example.com"],
    validators: new ValidatorCache(),
    runtime: instantRuntime().runtime,
    listTimeoutMs: 5_000,
    ...options,
  });
}

/** Never aborts: a signal, and the context of a call with it. */
export function noAbort(): AbortSignal & ToolCallContext {
  const { signal } = new AbortController();
  return Object.assign(signal, { signal });
}

/** Calls the HTTP tool `look_up` with `request`; it accepts any arguments. */
export async function callTool(
  server: EgressServer,
  request: Record<string, unknown>,
  options: { args?: unknown; tool?: Record<string, unknown> } & Parameters<typeof toolsetOf>[2] =
    {},
): Promise<unknown> {
  const { args = {}, tool = {}, ...rest } = options;
  const definition = httpTool({ parameters: { type: "object" }, ...tool }, request);
  return await toolsetOf(server, [definition], rest).execute("look_up", args, noAbort());
}
