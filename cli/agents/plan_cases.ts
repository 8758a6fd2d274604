import { canonicalJson } from "../../lib/platform/canonical_json.ts";
import type { TestSetFile } from "../../lib/schemas/agent_files.ts";
import { TEST_BOUNDS } from "../../lib/schemas/limits.ts";
import type { TestCase, TestCaseBody } from "../../lib/schemas/test_case.ts";
import { testCaseHash } from "../../lib/store/test_sets/test_case_hash.ts";
import type { ServiceClient } from "../service_client.ts";
import { fieldChanges, plain } from "./field_changes.ts";
import type { Entry } from "./folder.ts";
import type { Plan } from "./plan.ts";
import { readCases } from "./remote.ts";
import { caseBody } from "./resource_files.ts";

/** Below the 750 KB that one request may add. */
const BATCH_BYTES = 500_000;

/** Adds the changes of a set's cases. Their order does not matter. */
export async function planCases(
  plan: Plan,
  { value: { key, cases } }: Entry<TestSetFile>,
  { client, prune, id }: { client: ServiceClient; prune: boolean; id: string | undefined },
): Promise<void> {
  const stored = id === undefined ? [] : await readCases(client, id);
  const { added, changed, extra } = matchCases(cases, stored);
  const what = (body: TestCaseBody) => `test-sets/${key}/cases/${titleOf(body)}`;
  for (const { body, stored } of changed) {
    const before = caseBody(stored);
    plan.steps.push({
      ...{ type: "change", what: what(body), changes: fieldChanges(before, body) },
      async run({ client, headers, idOf }) {
        const path = `/test-sets/${idOf("test-sets", key)}/cases/${stored.id}`;
        const all = { ...headers, "if-match": `"${testCaseHash(before)}"` };
        await client.json("PUT", path, body, all);
      },
    });
  }
  for (const batch of batches(added)) {
    plan.steps.push({
      ...{ type: "create", what: `test-sets/${key}/cases` },
      changes: batch.map((body) => `+ ${titleOf(body)}`),
      async run({ client, headers, idOf }) {
        const path = `/test-sets/${idOf("test-sets", key)}/cases`;
        await client.json("POST", path, { cases: batch }, headers);
      },
    });
  }
  for (const one of extra) {
    const before = caseBody(one);
    if (!prune) {
      plan.kept.push(what(before));
      continue;
    }
    plan.steps.push({
      ...{ type: "delete", what: what(before), changes: [] },
      async run({ client, headers, idOf }) {
        const path = `/test-sets/${idOf("test-sets", key)}/cases/${one.id}`;
        const all = { ...headers, "if-match": `"${testCaseHash(before)}"` };
        await client.request("DELETE", path, { headers: all });
      },
    });
  }
}

/** Pairs equal cases, then those of one name, then those of one question. */
export function matchCases(
  cases: readonly TestCaseBody[],
  all: readonly TestCase[],
): {
  added: TestCaseBody[];
  changed: { body: TestCaseBody; stored: TestCase }[];
  extra: TestCase[];
} {
  const stored = new Map(all.map((one) => [one, canonicalJson(caseBody(one))]));
  const take = (is: (one: TestCase, json: string) => boolean) => {
    const [found] = [...stored].find(([one, json]) => is(one, json)) ?? [];
    if (found !== undefined) stored.delete(found);
    return found;
  };
  let open = cases.filter((body) => {
    const json = canonicalJson(body);
    return take((_, other) => other === json) === undefined;
  });
  const changed: { body: TestCaseBody; stored: TestCase }[] = [];
  for (const field of ["name", "question"] as const) {
    open = open.filter((body) => {
      if (body[field] === undefined) return true;
      const found = take((one) => one[field] === body[field]);
      if (found !== undefined) changed.push({ body, stored: found });
      return found === undefined;
    });
  }
  return { added: open, changed, extra: [...stored.keys()] };
}

function batches(cases: readonly TestCaseBody[]): TestCaseBody[][] {
  const all: TestCaseBody[][] = [];
  let bytes = 0;
  for (const body of cases) {
    const size = new TextEncoder().encode(JSON.stringify(body)).length;
    const last = all.at(-1);
    const fits = last !== undefined && last.length < TEST_BOUNDS.casesPerRequest &&
      bytes + size <= BATCH_BYTES;
    if (fits) last.push(body);
    else all.push([body]);
    bytes = fits ? bytes + size : size;
  }
  return all;
}

function titleOf({ name, question }: TestCaseBody): string {
  const text = plain(name ?? question).trim();
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
