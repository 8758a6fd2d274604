import type { TestCaseBody } from "../schemas/test_case.ts";
import { testCaseHash } from "../store/test_sets/test_case_hash.ts";

/** The `ETag` of a case. */
export function testCaseTag(body: TestCaseBody): string {
  return `"${testCaseHash(body)}"`;
}
