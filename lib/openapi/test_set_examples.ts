const testSet = {
  id: "019af2c4-51d7-7b3e-9c02-4f6a8d1e7b35",
  name: "Returns and shipping",
  agentId: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
  threshold: 0.9,
  judge: { provider: "vendor_a", model: "gpt-5-mini" },
  budgetUsd: 2,
  cases: 40,
  casesRevision: 12,
  version: 3,
  createdAt: "2026-01-15T09:30:00.000Z",
  updatedAt: "2026-01-20T14:05:00.000Z",
} as const;

const testCaseBody = {
  name: "Return within the period",
  question: "May I return order A-1042?",
  expectations: [
    { type: "contains", text: "30 days" },
    { type: "cites_document", title: "Returns" },
    { type: "calls_tool", name: "find_order", arguments: { number: "A-1042" } },
    { type: "judged", rubric: "Friendly, and names the receipt.", minScore: 7 },
  ],
  toolResults: [{ name: "find_order", output: { status: "shipped" } }],
  tags: ["returns"],
  enabled: true,
} as const;

const testCase = {
  id: "019af2c6-08aa-7d11-8e5f-93b0c7d24a61",
  ...testCaseBody,
  createdAt: "2026-01-15T09:31:00.000Z",
  updatedAt: "2026-01-15T09:31:00.000Z",
} as const;

const testRun = {
  id: "019af2d0-6b1c-7c48-a3f7-5e2d90b184cf",
  testSetId: testSet.id,
  agentId: testSet.agentId,
  version: 4,
  casesRevision: 12,
  threshold: 0.9,
  judge: testSet.judge,
  state: "done",
  ...{ cases: 40, passed: 38, failed: 2, errored: 0, notRun: 0, share: 0.95, isPassed: true },
  costUsd: 0.0912,
  latencyMs: 73_600,
  budgetUsd: 2,
  createdAt: "2026-01-20T14:10:00.000Z",
  endedAt: "2026-01-20T14:10:31.000Z",
} as const;

const testResult = {
  caseId: testCase.id,
  name: testCase.name,
  question: testCase.question,
  outcome: "failed",
  answer: "Yes, within 14 days, with the receipt.",
  calls: [{ name: "find_order", args: { number: "A-1042" }, output: { status: "shipped" } }],
  sources: [{ documentId: "0d9f1c52-7a64-4e3b-8c15-f2b7a690de43", title: "Returns" }],
  checks: [
    {
      type: "contains",
      expected: "30 days",
      passed: false,
      reason: "the answer does not contain it",
    },
    { type: "cites_document", expected: "Returns", passed: true },
    { type: "calls_tool", expected: 'find_order {"number":"A-1042"}', passed: true },
    {
      type: "judged",
      expected: "Friendly, and names the receipt.",
      passed: true,
      score: 8,
      reason: "It is friendly and names the receipt.",
    },
  ],
  costUsd: 0.0024,
  latencyMs: 1_840,
  finishReason: "stop",
} as const;

export const TEST_SET_EXAMPLES = {
  testSet,
  testCase,
  testCaseBody,
  testRun,
  testResult,
  testComparison: {
    before: { ...testRun, id: "019af2ce-21b7-7e90-b4d8-7a1f6c3e5d02", version: 3 },
    after: testRun,
    newlyFailed: [{
      caseId: testCase.id,
      name: testCase.name,
      question: testCase.question,
      before: "passed",
      after: "failed",
    }],
    newlyPassed: [],
    otherCases: 0,
    costUsd: -0.0031,
    latencyMs: -1_200,
  },
} as const;
