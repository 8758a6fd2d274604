/** Keys of what agents remember about visitors: a part of `keys`, under the same rules. */
export const MEMORY_KEYS = {
  /** What one agent remembers about a visitor: `{ v, sealed, exp }`. `visitor` is its hash. */
  visitorMemory: ({ tenant, visitor, agentId }: MemoryName) => [
    "visitor_memories",
    tenant,
    visitor,
    agentId,
  ],
  visitorMemories: (tenant: string, visitor: string) => ["visitor_memories", tenant, visitor],
  tenantVisitorMemories: (tenant: string) => ["visitor_memories", tenant],
  allVisitorMemories: () => ["visitor_memories"],
  /** Value: the visitor's hash. By agent, so that deleting an agent finds them. */
  memoryByAgent: ({ tenant, visitor, agentId }: MemoryName) => [
    "visitor_memories_by_agent",
    tenant,
    agentId,
    visitor,
  ],
  memoriesByAgent: (tenant: string, agentId: string) => [
    "visitor_memories_by_agent",
    tenant,
    agentId,
  ],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

export interface MemoryName {
  tenant: string;
  /** The visitor's hash. */
  visitor: string;
  agentId: string;
}
