import type { FoundPassage } from "../../agent/tools/found_passages.ts";
import { compileWhenNeeded } from "../../agent/tools/arguments/validator_cache.ts";
import type { TrialCall } from "../../chat/trial/trial_answer.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import { cutText } from "../../platform/cut_text.ts";
import { isJsonObject, tryParseJson } from "../../platform/json.ts";
import type { Expectation } from "../../schemas/test_case.ts";
import type { TestCheck } from "../../schemas/test_run.ts";

/** What is checked of an answer. */
export interface CheckedAnswer {
  text: string;
  calls: readonly Pick<TrialCall, "name" | "args">[];
  /** The passages that the answer draws on. */
  used: readonly Pick<FoundPassage, "documentId" | "title">[];
}

/** Expectations that no model is asked about. */
export type PlainExpectation = Exclude<Expectation, { type: "judged" }>;

const MAX_EXPECTED = 200;
const MAX_REASON = 500;

/** Whether an answer meets an expectation; the reason says why not. */
export async function checkExpectation(
  expectation: PlainExpectation,
  answer: CheckedAnswer,
): Promise<TestCheck> {
  const reason = await issueOf(expectation, answer);
  return toCheck(expectation, {
    passed: reason === undefined,
    ...reason !== undefined && { reason },
  });
}

/** A check with the expectation in short. */
export function toCheck(
  expectation: Expectation,
  { reason, ...found }: Omit<TestCheck, "type" | "expected">,
): TestCheck {
  return {
    type: expectation.type,
    expected: cutText(summarizeExpectation(expectation), 0, MAX_EXPECTED),
    ...found,
    ...reason !== undefined && { reason: cutText(reason, 0, MAX_REASON) },
  };
}

/** What an expectation expects, without its type. */
export function summarizeExpectation(expectation: Expectation): string {
  switch (expectation.type) {
    case "contains":
    case "not_contains":
      return expectation.text;
    case "cites_document":
      return expectation.title ?? expectation.documentId ?? "";
    case "calls_tool": {
      const { name, arguments: args } = expectation;
      return args === undefined ? name : `${name} ${JSON.stringify(args)}`;
    }
    case "json_schema":
      return JSON.stringify(expectation.schema);
    case "judged":
      return expectation.rubric;
  }
}

async function issueOf(
  expectation: PlainExpectation,
  { text, calls, used }: CheckedAnswer,
): Promise<string | undefined> {
  switch (expectation.type) {
    case "contains":
      return includes(text, expectation) ? undefined : "the answer does not contain it";
    case "not_contains":
      return includes(text, expectation) ? "the answer contains it" : undefined;
    case "cites_document":
      return citesIssue(expectation, used);
    case "calls_tool":
      return callIssue(expectation, calls);
    case "json_schema":
      return await schemaIssue(expectation.schema, text);
  }
}

function includes(
  answer: string,
  { text, caseSensitive }: { text: string; caseSensitive?: boolean | undefined },
): boolean {
  if (caseSensitive) return answer.includes(text);
  return answer.toLowerCase().includes(text.toLowerCase());
}

function citesIssue(
  { documentId, title }: Extract<Expectation, { type: "cites_document" }>,
  used: CheckedAnswer["used"],
): string | undefined {
  const wanted = title?.trim().toLowerCase();
  const isCited = used.some((passage) =>
    (documentId === undefined || passage.documentId === documentId) &&
    (wanted === undefined || passage.title.trim().toLowerCase() === wanted)
  );
  if (isCited) return undefined;
  const titles = [...new Set(used.map((passage) => passage.title))];
  return titles.length === 0
    ? "the answer draws on no document"
    : `the answer draws on ${titles.join(", ")}`;
}

function callIssue(
  { name, arguments: wanted }: Extract<Expectation, { type: "calls_tool" }>,
  calls: CheckedAnswer["calls"],
): string | undefined {
  const same = calls.filter((call) => call.name === name);
  if (same.length === 0) return "the tool was not called";
  if (wanted === undefined || same.some(({ args }) => isPart(wanted, args))) return undefined;
  return `the tool was called with ${same.map(({ args }) => JSON.stringify(args)).join(", ")}`;
}

/** Whether each field of `part` is in `whole`; lists and other values are compared as a whole. */
function isPart(part: unknown, whole: unknown): boolean {
  if (!isJsonObject(part)) return canonicalJson(part) === canonicalJson(whole);
  return isJsonObject(whole) &&
    Object.entries(part).every(([key, value]) =>
      Object.hasOwn(whole, key) && isPart(value, whole[key])
    );
}

const FENCE = /^```(?:json)?\s*\n([\s\S]*?)\n?\s*```$/;

async function schemaIssue(
  schema: Record<string, unknown>,
  text: string,
): Promise<string | undefined> {
  const trimmed = text.trim();
  const value = tryParseJson(FENCE.exec(trimmed)?.[1] ?? trimmed);
  if (value === undefined) return "the answer is not JSON";
  const compiled = await compileWhenNeeded(schema);
  if (!("validate" in compiled)) return `the schema ${compiled.message}`;
  return compiled.validate(value)?.replace("the arguments", "the answer");
}
