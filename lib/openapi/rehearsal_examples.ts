const answer = {
  text: "Within 30 days, with the receipt.",
  calls: [{ name: "find_order", args: { number: "A-1042" }, output: { status: "shipped" } }],
  sources: ["Returns"],
  costUsd: 0.0021,
  latencyMs: 1_840,
  finishReason: "stop",
} as const;

const rehearsal = {
  id: "5d2f8c1e-7a3b-4f60-9e14-b8c7d6e5f401",
  agentId: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
  version: 4,
  only: "with_tools",
  state: "done",
  ...{ runs: 50, done: 50, changed: 12, changedSources: 3, differingCalls: 1, failed: 0 },
  before: { costUsd: 0.105, latencyMs: 92_000 },
  after: { costUsd: 0.084, latencyMs: 71_500 },
  budgetUsd: 2.5,
  createdAt: "2026-01-15T09:30:00.000Z",
  endedAt: "2026-01-15T09:31:12.000Z",
  expiresAt: "2026-02-14T09:30:00.000Z",
} as const;

export const REHEARSAL_EXAMPLES = {
  rehearsal,
  rehearsalReport: {
    ...rehearsal,
    results: [{
      runId: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043",
      conversationId: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
      agentVersion: 3,
      question: "May I return order A-1042?",
      before: answer,
      after: { ...answer, text: "Yes, within 30 days, with the receipt.", costUsd: 0.0017 },
    }],
  },
} as const;
