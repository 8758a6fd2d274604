import { TRIAL_KEYS } from "./trial_keys.ts";

/** Identifies one row of usage. */
interface UsageRowName {
  tenant: string;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  agentId: string;
  source: string;
}

/** Identifies one conversation: the same id under another agent or page is a different one. */
export interface ConversationName {
  tenant: string;
  id: string;
  agentId: string;
  /** A hash of the page's origin and the visitor, if any; empty for calls with an API key. */
  page: string;
}

/** Keys of limits, runs and usage: a part of `keys`, under the same rules. */
export const RUN_KEYS = {
  /** Rate windows of an address, under its keyed hash: `{ v, all, chat, ids }`. */
  addressWindows: (hash: string, shard = 0) => ["address_windows", hash, ...shardSuffix(shard)],
  /** Rate window of an API key: `{ v, all }`. Its newest time is when the key was last used. */
  apiKeyWindow: (
    tenant: string,
    id: string,
    shard = 0,
  ) => ["api_key_windows", tenant, id, ...shardSuffix(shard)],
  apiKeyWindows: (tenant: string) => ["api_key_windows", tenant],
  /**
   * A tenant's day: the amount spent, and the slot and hold of each active run. Shards from 1 on exist
   * only while several processes serve the tenant at the same time.
   */
  tenantLedger: (tenant: string, shard = 0) => ["tenant_ledgers", tenant, ...shardSuffix(shard)],
  tenantLedgers: () => ["tenant_ledgers"],
  /** What a run holds that shares its lease with others: `{ v, hold }`, in micro-USD, until it is settled. */
  runHold: (tenant: string, runId: string) => ["run_holds", tenant, runId],
  /** How the limits are divided among the shards: `{ v, revision, period, of, frozen, shards }`. */
  ledgerDivision: (tenant: string) => ["ledger_divisions", tenant],
  /** Which process writes which shard of contended records: `{ v, holders }`. */
  processShards: () => ["process_shards"],
  /** The ledger of one session, if the plan limits sessions. */
  sessionLedger: (tenant: string, tokenHash: string) => ["session_ledgers", tenant, tokenHash],
  /** The ledger of one address and day with one tenant, if the plan limits addresses. */
  addressLedger: (tenant: string, addressHash: string) => ["address_ledgers", tenant, addressHash],

  /** A visitor's limits, use and active runs, under the keyed hash of its id. */
  visitorAccount: (tenant: string, visitor: string) => ["visitor_accounts", tenant, visitor],

  /** A run that is admitted and not settled: what settling it needs, and its owner. */
  activeRun: (tenant: string, runId: string) => ["live_runs", tenant, runId],
  activeRuns: () => ["live_runs"],
  tenantActiveRuns: (tenant: string) => ["live_runs", tenant],
  /** The log of a run that has ended: its owner, how many frames are stored, the last frames. */
  runLogHead: (tenant: string, runId: string) => ["run_heads", tenant, runId],
  runLogHeads: () => ["run_heads"],
  /**
   * Chunk `n` (from 0) of a run's log: JSON lines in UTF-8, split anywhere. While the run is active, the
   * log has as many chunks as exist.
   */
  runLogChunk: (tenant: string, runId: string, n: number) => ["run_chunks", tenant, runId, n],
  runLogChunks: (tenant: string, runId: string) => ["run_chunks", tenant, runId],
  allRunLogChunks: () => ["run_chunks"],
  /** Changes when the owner process is asked to stop one of its runs. */
  wakeKey: (owner: string) => ["process_bells", owner],
  /** A run that its owner is asked to stop: `{ v, tenant, runId }`. */
  stopRequest: (owner: string, runId: string) => ["stop_requests", owner, runId],
  stopRequests: (owner: string) => ["stop_requests", owner],
  /** A waiting call of the owner's that was answered: `{ v, tenant, runId, call }`. */
  answeredCall: (owner: string, runId: string, n: number) => ["stop_requests", owner, runId, n],
  /** Call `n` of an active run that waits or has waited: for whom, until when, and its answer. */
  waitingCall: (tenant: string, runId: string, n: number) => ["waiting_calls", tenant, runId, n],
  waitingCalls: (tenant: string, runId: string) => ["waiting_calls", tenant, runId],
  tenantWaitingCalls: (tenant: string) => ["waiting_calls", tenant],
  /** Chunk `part` of a page's answer to call `n`, JSON, until the owner has read it. */
  callAnswerChunk: (tenant: string, runId: string, n: number, part: number) => [
    "call_answers",
    tenant,
    runId,
    n,
    part,
  ],
  callAnswers: (tenant: string, runId: string) => ["call_answers", tenant, runId],
  /** Value: the id of a run of the owner that a client follows through another process. */
  followWakeKey: (owner: string) => ["watch_bells", owner],
  /** When a client last followed the run through another process. */
  runFollowed: (tenant: string, runId: string) => ["runs_watched", tenant, runId],
  /** Chunk `n` of the request messages of an active run, JSON; only if long and to be stored. */
  runInputChunk: (tenant: string, runId: string, n: number) => ["runs_asked", tenant, runId, n],
  runInputChunks: (tenant: string, runId: string) => ["runs_asked", tenant, runId],
  allRunInputChunks: () => ["runs_asked"],

  /** A settled run; stored as long as its conversation, or for 90 days without one. */
  run: (tenant: string, runId: string) => ["runs", tenant, runId],
  tenantRuns: (tenant: string) => ["runs", tenant],
  allRuns: () => ["runs"],
  /**
   * Sums of settled runs by model. `source` is an API key's id, `sessions` or `playground`. Each shard
   * has its own sums, which readers add up.
   */
  usageRow: (of: UsageRowName, shard = 0) => [
    "usage_rows",
    of.tenant,
    of.day,
    of.agentId,
    of.source,
    ...shardSuffix(shard),
  ],
  usageDay: (tenant: string, day: string) => ["usage_rows", tenant, day],
  /** What a tenant used on a day long past, added up: `{ v, parts, totals }`, in as many parts. */
  usageDayTotals: (tenant: string, day: string, part?: number) => [
    "usage_day_totals",
    tenant,
    day,
    ...part === undefined ? [] : [part],
  ],
  usageOfAgent: ({ tenant, day, agentId }: Omit<UsageRowName, "source">) => [
    "usage_rows",
    tenant,
    day,
    agentId,
  ],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

/** Keys of conversations: a part of `keys`, under the same rules. */
export const CONVERSATION_KEYS = {
  /** A conversation, or the tombstone of a deleted one. */
  conversation: (of: ConversationName) => ["conversations", ...partsOf(of)],
  conversationsById: (tenant: string, id: string) => ["conversations", tenant, id],
  allConversations: () => ["conversations"],
  /** Its `n`-th run, from 0: the facts, and the number of chunks of its transcript. */
  conversationRun: (
    of: ConversationName,
    n: number,
  ) => ["conversation_runs", ...partsOf(of), n],
  tenantConversationRuns: (tenant: string) => ["conversation_runs", tenant],
  conversationRuns: (of: ConversationName) => ["conversation_runs", ...partsOf(of)],
  allConversationRuns: () => ["conversation_runs"],
  /** Chunk `n` of a run's transcript: JSON in UTF-8, split anywhere. */
  transcriptChunk: (tenant: string, runId: string, n: number) => [
    "conversation_parts",
    tenant,
    runId,
    n,
  ],
  transcriptChunks: (tenant: string, runId: string) => ["conversation_parts", tenant, runId],
  allTranscriptChunks: () => ["conversation_parts"],
  /** Value `[id, agentId, page]`, like the next three. Ordered by the last update. */
  conversationByUpdated: (of: ConversationName, at: number) => [
    "conversations_by_updated",
    of.tenant,
    at,
    ...partsOf(of).slice(1),
  ],
  conversationsByUpdated: (tenant: string) => ["conversations_by_updated", tenant],
  conversationByAgent: (of: ConversationName, at: number) => [
    "conversations_by_agent",
    of.tenant,
    of.agentId,
    at,
    of.id,
    of.page,
  ],
  conversationsByAgent: (tenant: string, agentId: string) => [
    "conversations_by_agent",
    tenant,
    agentId,
  ],

  /** Of one visitor, under the keyed hash of its id. */
  conversationByVisitor: (
    of: ConversationName,
    { visitor, at }: { visitor: string; at: number },
  ) => ["conversations_by_visitor", of.tenant, visitor, at, ...partsOf(of).slice(1)],
  conversationsByVisitor: (tenant: string, visitor: string) => [
    "conversations_by_visitor",
    tenant,
    visitor,
  ],

  /** Index of rare properties: a finish other than `stop`, or a high cost. Ordered by their time. */
  conversationByTag: (of: ConversationName, mark: string, at: number) => [
    "conversations_by_mark",
    of.tenant,
    mark,
    at,
    ...partsOf(of).slice(1),
  ],
  /** Index of runs that ended in an error or were interrupted: `[id, agentId, page, n]`. */
  failedRun: (tenant: string, { endedAt, runId }: { endedAt: number; runId: string }) => [
    "failed_runs",
    tenant,
    endedAt,
    runId,
  ],
  failedRuns: (tenant: string) => ["failed_runs", tenant],
  conversationsByTag: (tenant: string, mark: string) => ["conversations_by_mark", tenant, mark],
  /** Usage of conversations: runs that ended on one day, by their retention in days. */
  conversationUsage: (tenant: string, day: string, shard = 0) => [
    "storage_usage",
    tenant,
    "conversations",
    day,
    ...shardSuffix(shard),
  ],
  conversationUsages: (tenant: string) => ["storage_usage", tenant, "conversations"],
  /** The hand-off of a conversation to people, and the end of its feed. */
  handoff: (of: ConversationName) => ["handoffs", ...partsOf(of)],
  allHandoffs: () => ["handoffs"],
  tenantHandoffs: (tenant: string) => ["handoffs", tenant],
  handoffsById: (tenant: string, id: string) => ["handoffs", tenant, id],
  /** Entry `n` (from 1) of a hand-off's feed: `{ v, at, sealed, exp }`. */
  handoffEntry: (tenant: string, feed: string, n: number) => ["handoff_entries", tenant, feed, n],
  handoffEntries: (tenant: string, feed: string) => ["handoff_entries", tenant, feed],
  allHandoffEntries: () => ["handoff_entries"],
  /** Value `[id, agentId, page]`: a hand-off that people should look at, by the time of the request. */
  handoffInQueue: (of: ConversationName, at: number) => [
    "handoff_queue",
    of.tenant,
    at,
    ...partsOf(of).slice(1),
  ],
  handoffQueue: (tenant: string) => ["handoff_queue", tenant],
  /** When the visitor or the person last typed; exists for seconds. */
  handoffTyping: (of: ConversationName, who: "visitor" | "person") => [
    "handoff_typing",
    ...partsOf(of),
    who,
  ],
  /** Exists once the runs of earlier releases have been counted. */
  conversationsCounted: (tenant: string) => ["conversations_counted", tenant],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

/** Shard 0 has the key of an undivided record. */
function shardSuffix(shard: number): string[] {
  return shard === 0 ? [] : [String(shard)];
}

function partsOf({ tenant, id, agentId, page }: ConversationName): string[] {
  return [tenant, id, agentId, page];
}

/** Where everything is that a run has several of. */
export function runPrefixes(tenant: string, runId: string): Deno.KvKey[] {
  const { transcriptChunks } = CONVERSATION_KEYS;
  const { runInputChunks, runLogChunks, waitingCalls, callAnswers } = RUN_KEYS;
  const { rehearsedRuns } = TRIAL_KEYS;
  return [transcriptChunks, runInputChunks, runLogChunks, waitingCalls, callAnswers, rehearsedRuns]
    .map((prefixOf) => [...prefixOf(tenant, runId)]);
}
