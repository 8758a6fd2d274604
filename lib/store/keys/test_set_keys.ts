/** Keys of test sets: a part of `keys`, under the same rules. Ids begin with the time. */
export const TEST_SET_KEYS = {
  /** `{ v, name, agentId, … }`. */
  testSet: (tenant: string, id: string) => ["test_sets", tenant, id],
  testSets: (tenant: string) => ["test_sets", tenant],
  /** How many a tenant has: `{ v, count }`. */
  testSetCount: (tenant: string) => ["test_set_counts", tenant],
  /** A case of a set: `{ v, sealed, … }`. */
  testCase: (tenant: string, set: string, id: string) => ["test_cases", tenant, set, id],
  testCases: (tenant: string, set: string) => ["test_cases", tenant, set],
  tenantTestCases: (tenant: string) => ["test_cases", tenant],
  allTestCases: () => ["test_cases"],
  /** A run of a set: `{ v, … }`. */
  testRun: (tenant: string, set: string, id: string) => ["test_runs", tenant, set, id],
  testRuns: (tenant: string, set: string) => ["test_runs", tenant, set],
  /** What became of case number `n` in a run: `{ v, sealed, … }`. */
  testResult: (tenant: string, run: string, n: number) => ["test_results", tenant, run, n],
  testResults: (tenant: string, run: string) => ["test_results", tenant, run],
  allTestResults: () => ["test_results"],
  /** A result about what a visitor (by hash) had asked, also after its case was deleted: `{ v }`. */
  visitorTestResult: (tenant: string, visitor: string, run: string, n: number) => [
    "visitor_test_results",
    tenant,
    visitor,
    run,
    n,
  ],
  visitorTestResults: (tenant: string, visitor: string) => [
    "visitor_test_results",
    tenant,
    visitor,
  ],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
