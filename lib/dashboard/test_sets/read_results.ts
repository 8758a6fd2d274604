import type { TestResult } from "../../schemas/test_run.ts";
import type { TestRunReader } from "../../services/test_sets/test_run_reader.ts";
import type { TestRunName } from "../../store/test_sets/test_run_store.ts";

const PAGE_LENGTH = 25;
/** Maximum failures shown at once. */
const MAX_PROBLEMS = 50;
const READ_LENGTH = 100;

/** Results for a page: all, a page at a time, or the first ones that did not pass. */
export async function readResults(
  reader: Pick<TestRunReader, "results">,
  name: TestRunName,
  { isAll, cursor }: { isAll: boolean; cursor: string | undefined },
): Promise<{ data: TestResult[]; nextCursor?: string; hasMore?: boolean }> {
  if (isAll) return await reader.results(name, { limit: PAGE_LENGTH, cursor });
  const problems: TestResult[] = [];
  let next: string | undefined;
  do {
    const page = await reader.results(name, { limit: READ_LENGTH, cursor: next });
    problems.push(...page.data.filter(({ outcome }) => outcome !== "passed"));
    next = page.nextCursor;
  } while (next !== undefined && problems.length <= MAX_PROBLEMS);
  return {
    data: problems.slice(0, MAX_PROBLEMS),
    ...problems.length > MAX_PROBLEMS && { hasMore: true },
  };
}
