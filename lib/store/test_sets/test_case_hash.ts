import { createHash } from "node:crypto";
import { canonicalJson } from "../../platform/canonical_json.ts";
import type { TestCaseBody } from "../../schemas/test_case.ts";

/** The entity tag of a case: the same for equal bodies, whatever the order of their fields. */
export function testCaseHash(body: TestCaseBody): string {
  return createHash("sha256").update(canonicalJson(body)).digest("base64url");
}
