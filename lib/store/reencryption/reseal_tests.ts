import { contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { testCaseRecordSchema, testResultRecordSchema } from "../test_sets/test_set_record.ts";
import { parseRecord } from "../values/record.ts";
import type { ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts the cases of test sets, and their results, with the current key. */
export function resealTests(deps: ResealDeps): ResealTask[] {
  return [testCases(deps), testResults(deps)];
}

function testCases({ content }: ResealDeps): ResealTask {
  return {
    kind: "test cases",
    prefix: keys.allTestCases(),
    async *reseal(entry) {
      const record = parseRecord(testCaseRecordSchema, entry)!;
      const [tenant, set, id] = entry.key.slice(1).map(String) as [string, string, string];
      const context = contentContexts.testCase(tenant, set, id);
      const sealed = await content.reseal(record.sealed, context);
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

function testResults({ content }: ResealDeps): ResealTask {
  return {
    kind: "test results",
    prefix: keys.allTestResults(),
    async *reseal(entry) {
      const record = parseRecord(testResultRecordSchema, entry)!;
      const [tenant, run, n] = entry.key.slice(1) as [string, string, number];
      const context = contentContexts.testResult(tenant, run, n);
      const sealed = await content.reseal(record.sealed, context);
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}
