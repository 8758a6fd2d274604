/** Distinguishes conversations that share an id. */
export interface ConversationFilter {
  agentId?: string | undefined;
  /** Empty for calls with an API key. */
  origin?: string | undefined;
  /** The hash of its visitor; empty for none. */
  visitor?: string | undefined;
  /** The visitor's id instead. */
  visitorId?: string | undefined;
}

/** True if a conversation, or one of its runs, matches the filter. */
export function matchesFilter(
  of: { agentId: string; origin?: string | undefined; visitor?: string | undefined },
  { agentId, origin, visitor }: ConversationFilter,
): boolean {
  if (agentId !== undefined && of.agentId !== agentId) return false;
  if (visitor !== undefined && (of.visitor ?? "") !== visitor) return false;
  return origin === undefined || (of.origin ?? "") === origin;
}
