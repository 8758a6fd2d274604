import { DEFAULT_LIMITS, type Limits } from "@/lib/billing/limits.ts";
import type { RunRequest } from "@/lib/billing/decide_run.ts";
import type { RunEnd, RunFacts } from "@/lib/store/runs/run_record.ts";
import { fakeUuid } from "./fake_runtime.ts";

/** The specification's limits, without those that apply before a run. */
export const OPEN_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  ipRequests: 1e6,
  ipMessages: 1e6,
  ipResumes: 1e6,
  keyRequests: 1e6,
};

/** The end of a successful run. */
export const RUN_END: RunEnd = {
  provider: "vendor_a",
  model: "mid",
  steps: 1,
  toolCalls: 0,
  inputTokens: 10,
  outputTokens: 20,
  finishReason: "stop",
};

/** `run-<n>` of one agent, changed by `change`. */
export function runFacts(n: number, change: Partial<RunFacts> = {}): RunFacts {
  return {
    runId: `run-${n}`,
    tenant: fakeUuid(801),
    agentId: fakeUuid(901),
    agentVersion: 1,
    conversationId: fakeUuid(700),
    source: { kind: "key", id: fakeUuid(600) },
    provider: "vendor_a",
    model: "mid",
    startedAt: Date.UTC(2026, 0, 2, 12),
    ...change,
  };
}

/** A message that becomes `run-<n>`, changed by `change`. */
export function runRequest(
  n: number,
  change: Partial<RunRequest> = {},
): RunRequest & { id: number } {
  const hold = change.hold ?? 0;
  const caller = { address: "address-1" };
  return { run: runFacts(n), hold, minHold: hold, limits: OPEN_LIMITS, caller, id: n, ...change };
}
