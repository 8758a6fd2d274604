import type { IndexedRun, Span } from "./search_records.ts";

/** A segment with more different agents than this is searched for each of them. */
const MAX_AGENTS = 64;

/** Absent criteria match everything. Times in milliseconds, `to` exclusive. */
export interface RunFilter {
  agentId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

/** What at least one run have in common. */
export function spanOf(runs: readonly Pick<IndexedRun, "at" | "agentId">[]): Span {
  const times = runs.map(({ at }) => at);
  const agents = new Set(runs.map(({ agentId }) => agentId));
  return {
    v: 1,
    from: Math.min(...times),
    to: Math.max(...times),
    ...agents.size <= MAX_AGENTS && { agents: [...agents] },
  };
}

/** False if none of the runs matches. */
export function mayMatch(
  { from, to, agents }: Span,
  { agentId, from: first = 0, to: end = Infinity }: RunFilter,
): boolean {
  const hasAgent = agentId === undefined || (agents?.includes(agentId) ?? true);
  return hasAgent && to >= first && from < end;
}
