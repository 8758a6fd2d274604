import type { CallableTool } from "../../agent/tools/callable_tool.ts";
import { memoryTools, type VisitorMemory } from "../../agent/tools/memory_tools.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import type { ToolsetRequest } from "../../agent/tools/toolset_factory.ts";
import { MEMORY_BOUNDS } from "../../schemas/memory.ts";
import type { MemoryName } from "../../store/keys/keys.ts";
import type { MemoryStore } from "../../store/visitors/memory_store.ts";
import { factReference } from "../input/memory_prompt.ts";

interface MemoryToolDeps {
  memories: Pick<MemoryStore, "list" | "remember" | "forget">;
  tenants: { plan(tenant: string): Promise<{ conversationDays: number }> };
}

/** `remember` and `forget` for a stored conversation of a visitor whose agent allows it. */
export function visitorMemoryTools(
  deps: MemoryToolDeps,
  { tenant, agent, conversation }: ToolsetRequest,
): CallableTool[] {
  const { id: agentId, memory: settings, retentionDays } = agent;
  const { visitor, runId } = conversation ?? {};
  if (agentId === undefined || visitor === undefined || runId === undefined) return [];
  if (!settings?.enabled) return [];
  const name = { tenant, visitor, agentId };
  const daysOf = async () => {
    const { conversationDays } = await deps.tenants.plan(tenant);
    return Math.min(conversationDays, retentionDays ?? conversationDays);
  };
  return memoryTools(memoryOf(deps.memories, { name, runId, daysOf }), settings);
}

function memoryOf(
  memories: MemoryToolDeps["memories"],
  { name, runId, daysOf }: { name: MemoryName; runId: string; daysOf: () => Promise<number> },
): VisitorMemory {
  const idOf = async (reference: string) => {
    const facts = await memories.list(name) ?? [];
    const [found, other] = facts.filter((fact) => factReference(fact) === reference);
    if (found !== undefined && other === undefined) return found.id;
    throw unknownFact(reference);
  };
  return {
    async remember({ text, replaces }) {
      if (text === "") throw new ToolError("tool_invalid_arguments", "the fact is empty");
      const days = await daysOf();
      if (days === 0) throw unavailable();
      const id = replaces === undefined ? undefined : await idOf(replaces);
      const result = await memories.remember(name, { runId, days, text, replaces: id });
      if ("fact" in result) return factReference(result.fact);
      if (result.rejected === "unknown") throw unknownFact(replaces!);
      if (result.rejected === "gone") throw unavailable();
      const message = `${MEMORY_BOUNDS.facts} facts are remembered, and no more fit: ` +
        "replace or forget one that matters less";
      throw new ToolError("tool_invalid_arguments", message);
    },
    async forget(reference) {
      if (!await memories.forget(name, await idOf(reference))) throw unknownFact(reference);
    },
  };
}

function unavailable(): ToolError {
  return new ToolError("tool_unreachable", "nothing can be remembered about this user now");
}

function unknownFact(reference: string): ToolError {
  return new ToolError("tool_invalid_arguments", `no fact has the id ${reference}`);
}
