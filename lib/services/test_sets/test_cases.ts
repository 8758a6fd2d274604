import { compileWhenNeeded } from "../../agent/tools/arguments/validator_cache.ts";
import { tryParseJson } from "../../platform/json.ts";
import { isoTime } from "../../platform/runtime.ts";
import {
  ApiError,
  assertSafeJson,
  parseOrThrow,
  validationError,
} from "../../schemas/api_error.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { TEST_BOUNDS } from "../../schemas/limits.ts";
import {
  type NewTestCaseIds,
  newTestCasesSchema,
  type TestCase,
  type TestCaseBody,
  testCaseBodySchema,
  testCaseSourceSchema,
} from "../../schemas/test_case.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import type {
  CaseRejection,
  StoredTestCase,
  TestCaseStore,
} from "../../store/test_sets/test_case_store.ts";
import type { TestSetStore } from "../../store/test_sets/test_set_store.ts";
import type { Page, PageRequest } from "../../store/values/page.ts";
import type { CommitStep } from "../../store/values/record.ts";
import type { CursorSigner } from "../cursor_signer.ts";
import { readRecordedRun, type RecordedRun } from "../rehearsals/recorded_runs.ts";
import { caseFromAnswer } from "./case_from_answer.ts";
import { noTestSet } from "./no_test_set.ts";

type SetName = { tenant: string; id: string };
type CaseName = { tenant: string; set: string; id: string };
type IfMatch = { ifMatch?: readonly string[] | undefined };
type Options = { commit?: CommitStep<NewTestCaseIds> | undefined };

const EXPORT_PAGE = 100;

interface TestCasesDeps {
  sets: Pick<TestSetStore, "find">;
  store: TestCaseStore;
  conversations: ConversationStore;
  own: Pick<OwnConversationStore, "find">;
  cursors: CursorSigner;
}

/** The cases of test sets. Methods throw `ApiError`. */
export class TestCases {
  readonly #deps: TestCasesDeps;

  constructor(deps: TestCasesDeps) {
    this.#deps = deps;
  }

  /** Oldest first. */
  async list(name: SetName, page: PageRequest): Promise<Page<TestCase>> {
    await this.#deps.sets.find(name) ?? noTestSet();
    return await this.#deps.cursors.page(page, {
      list: `test_cases ${name.tenant} ${name.id}`,
      load: async (opened) => {
        const { data, ...rest } = await this.#deps.store.list(name, opened);
        return { ...rest, data: data.map(toTestCase) };
      },
    });
  }

  /** Adds all cases of a body, or none. */
  async add(name: SetName, body: unknown, options: Options = {}): Promise<NewTestCaseIds> {
    return await this.#add(name, parseOrThrow(newTestCasesSchema, body).cases, options);
  }

  /** Adds a case for each of the lines of JSON, or none. Issues name the line. */
  async addLines(name: SetName, text: string, options: Options = {}): Promise<NewTestCaseIds> {
    return await this.#add(name, parseCaseLines(text), options);
  }

  /** Adds what a run was asked, with the expectations that its answer suggests. 404 without the run. */
  async addFromRun(name: SetName, body: unknown, options: Options = {}): Promise<NewTestCaseIds> {
    const { runId } = parseOrThrow(testCaseSourceSchema, body);
    const { tenant } = name;
    const suggested = await this.suggest(tenant, runId);
    const records = await this.#deps.conversations.readRunRecords(tenant, [runId]);
    const { visitor } = records.get(runId) ?? noRun();
    return await this.#add(name, [suggested], { ...options, run: { id: runId, visitor } });
  }

  /** What `addFromRun` would add. */
  async suggest(tenant: string, runId: string): Promise<TestCaseBody> {
    const suggested = caseFromAnswer(await this.#readRun(tenant, runId));
    // A question may consist of files only.
    return parseOrThrow(testCaseBodySchema, suggested);
  }

  async get(name: CaseName): Promise<TestCase> {
    return toTestCase(await this.#deps.store.find(name) ?? noCase());
  }

  /** 412 if the hash of the case is not in `ifMatch`. */
  async replace(name: CaseName, body: unknown, options: IfMatch = {}): Promise<TestCase> {
    const parsed = parseOrThrow(testCaseBodySchema, body);
    await checkSchemas([parsed], () => "");
    const result = await this.#deps.store.replace(name, parsed, options);
    return "rejected" in result ? rejectCases(result.rejected, noCase) : toTestCase(result);
  }

  async delete(name: CaseName, options: IfMatch = {}): Promise<void> {
    const deleted = await this.#deps.store.delete(name, options);
    if (deleted === "changed") hasChanged();
    if (!deleted) noCase();
  }

  /** All cases as lines of JSON, as an import takes them. */
  async export(name: SetName): Promise<AsyncGenerator<string>> {
    await this.#deps.sets.find(name) ?? noTestSet();
    return this.#lines(name);
  }

  async *#lines(name: SetName): AsyncGenerator<string> {
    let cursor: string | undefined;
    do {
      const page: Page<StoredTestCase> = await this.#deps.store
        .list(name, { limit: EXPORT_PAGE, cursor });
      for (const { body } of page.data) yield `${JSON.stringify(body)}\n`;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #add(
    name: SetName,
    cases: readonly TestCaseBody[],
    { commit, run }: Options & { run?: { id: string; visitor: string | undefined } },
  ): Promise<NewTestCaseIds> {
    await checkSchemas(cases, (n) => `cases.${n}.`);
    const result = await this.#deps.store.add(name, cases, {
      run,
      commit: commit && ((step, ids) => commit(step, { ids })),
    });
    return "rejected" in result ? rejectCases(result.rejected, noTestSet) : result;
  }

  async #readRun(tenant: string, runId: string): Promise<RecordedRun> {
    const { conversations, own } = this.#deps;
    const record = (await conversations.readRunRecords(tenant, [runId])).get(runId);
    if (record?.page === undefined || record.n === undefined) return noRun();
    const { conversationId: id, agentId, page, n, endedAt } = record;
    const name = { tenant, id, agentId, page };
    const conversation = await own.find(name) ?? noRun();
    return await readRecordedRun(conversations, { name, n, runId, endedAt }, conversation) ??
      noRun();
  }
}

function parseCaseLines(text: string): TestCaseBody[] {
  const lines = text.split("\n").map((line, n) => [line.trim(), n] as const)
    .filter(([line]) => line !== "");
  if (lines.length === 0) {
    throw validationError([{ path: "", code: "too_small", message: "has no line" }]);
  }
  if (lines.length > TEST_BOUNDS.casesPerRequest) {
    const message = `has more than ${TEST_BOUNDS.casesPerRequest} lines`;
    throw validationError([{ path: "", code: "too_big", message }]);
  }
  return lines.map(([line, n]) => parseCaseLine(line, `lines.${n + 1}`));
}

function parseCaseLine(line: string, at: string): TestCaseBody {
  const value = tryParseJson(line);
  if (value === undefined) {
    throw validationError([{ path: at, code: "invalid_json", message: "is not valid JSON" }]);
  }
  try {
    assertSafeJson(value);
    return parseOrThrow(testCaseBodySchema, value);
  } catch (error) {
    const issues = error instanceof ApiError && error.details?.issues;
    if (!Array.isArray(issues)) throw error;
    throw validationError((issues as ValidationIssue[]).map((issue) => ({
      ...issue,
      path: issue.path === "" ? at : `${at}.${issue.path}`,
    })));
  }
}

/** A schema that cannot be compiled would fail every answer. */
export async function checkSchemas(
  cases: readonly TestCaseBody[],
  at: (n: number) => string,
): Promise<void> {
  const issues: ValidationIssue[] = [];
  const known = new Map<string, Awaited<ReturnType<typeof compileWhenNeeded>>>();
  for (const [n, { expectations }] of cases.entries()) {
    for (const [e, one] of expectations.entries()) {
      if (one.type !== "json_schema") continue;
      const json = JSON.stringify(one.schema);
      const compiled = known.get(json) ?? await compileWhenNeeded(one.schema);
      known.set(json, compiled);
      if ("validate" in compiled) continue;
      const path = [`${at(n)}expectations.${e}.schema`, compiled.path].filter(Boolean).join(".");
      issues.push({ path, code: "invalid_schema", message: compiled.message });
    }
  }
  if (issues.length > 0) throw validationError(issues);
}

function rejectCases(rejected: CaseRejection, notFound: () => never): never {
  if (rejected === "not_found") return notFound();
  if (rejected === "no_run") return noRun();
  if (rejected === "changed") return hasChanged();
  const message = rejected === "full"
    ? `a test set has at most ${TEST_BOUNDS.casesPerSet} cases`
    : "the cases of a test set are at most 8 MiB";
  throw validationError([{ path: "", code: "too_many", message }]);
}

function hasChanged(): never {
  throw new ApiError("version_conflict", "the case has changed since you read it");
}

function noCase(): never {
  throw new ApiError("not_found", "there is no such case");
}

function noRun(): never {
  throw new ApiError("not_found", "there is no such run, or it is not stored any more");
}

export function toTestCase({ id, body, createdAt, updatedAt }: StoredTestCase): TestCase {
  return { id, ...body, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
