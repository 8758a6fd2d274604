import { type TestWords, testWordsSchema } from "../../schemas/test_run.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { deleteKeys } from "../values/chunks.ts";
import { type Page, type PageRequest, readEntryPage } from "../values/page.ts";
import { parseRecord } from "../values/record.ts";
import {
  testCaseRecordSchema,
  type TestResultRecord,
  testResultRecordSchema,
  type TestRunRecord,
  testRunRecordSchema,
} from "./test_set_record.ts";

const BATCH = { batchSize: 100 };

export type TestRunName = { tenant: string; set: string; id: string };

/** A result with its words; without them if they cannot be decrypted. */
export interface StoredTestResult {
  n: number;
  result: TestResultRecord;
  words: TestWords | undefined;
}

/** Runs of test sets, and what became of their cases. They are deleted with their set. */
export class TestRunStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;

  constructor(kv: Deno.Kv, { content }: { content: ContentCipher }) {
    this.#kv = kv;
    this.#content = content;
  }

  /** Stores a run; false if its set is gone. `also` may add to the step. */
  async create(
    tenant: string,
    record: TestRunRecord,
    also: (step: Deno.AtomicOperation) => void,
  ): Promise<boolean> {
    for (;;) {
      const set = await this.#kv.get(keys.testSet(tenant, record.setId));
      if (set.versionstamp === null) return false;
      const step = this.#kv.atomic().check(set)
        .set(keys.testRun(tenant, record.setId, record.id), record);
      also(step);
      if ((await step.commit()).ok) return true;
    }
  }

  async find({ tenant, set, id }: TestRunName): Promise<TestRunRecord | undefined> {
    return parseRecord(testRunRecordSchema, await this.#kv.get(keys.testRun(tenant, set, id)));
  }

  /** Newest first. */
  list(
    { tenant, set }: Omit<TestRunName, "id">,
    page: PageRequest,
  ): Promise<Page<TestRunRecord>> {
    const load = (entry: Deno.KvEntry<unknown>) =>
      Promise.resolve(parseRecord(testRunRecordSchema, entry));
    return readEntryPage(this.#kv, keys.testRuns(tenant, set), { ...page, load });
  }

  /** Changes the record; false if it was deleted meanwhile, or `change` returns nothing. */
  async update(
    { tenant, set, id }: TestRunName,
    change: (record: TestRunRecord) => TestRunRecord | undefined,
  ): Promise<boolean> {
    const key = keys.testRun(tenant, set, id);
    for (;;) {
      const entry = await this.#kv.get(key);
      const before = parseRecord(testRunRecordSchema, entry);
      const after = before && change(before);
      if (after === undefined) return false;
      if ((await this.#kv.atomic().check(entry).set(key, after).commit()).ok) return true;
    }
  }

  /**
   * Adds the result of case number `n`, with the run as it is then; false if that was deleted, or has
   * another job meanwhile. Of a case that is deleted meanwhile no words are stored: its visitor may have been.
   */
  async addResult(
    tenant: string,
    { record, n, result, words }: {
      record: TestRunRecord;
      n: number;
      result: Omit<TestResultRecord, "sealed" | "visitor">;
      words: TestWords;
    },
  ): Promise<boolean> {
    const key = keys.testRun(tenant, record.setId, record.id);
    const context = contentContexts.testResult(tenant, record.id, n);
    const bytes = new TextEncoder().encode(JSON.stringify(words));
    const sealed = await this.#content.seal(bytes, context);
    for (;;) {
      const head = await this.#kv.get(key);
      if (parseRecord(testRunRecordSchema, head)?.jobId !== record.jobId) return false;
      const one = await this.#kv.get(keys.testCase(tenant, record.setId, result.caseId));
      const step = this.#kv.atomic().check(head).check(one).set(key, record);
      const tested = parseRecord(testCaseRecordSchema, one);
      if (tested !== undefined) {
        const { visitor } = tested;
        const of = visitor === undefined ? {} : { visitor };
        step.set(keys.testResult(tenant, record.id, n), { ...result, ...of, sealed });
        if (visitor !== undefined) {
          step.set(keys.visitorTestResult(tenant, visitor, record.id, n), { v: 1 });
        }
      }
      if ((await step.commit()).ok) return true;
    }
  }

  /** The results from case number `from` on. */
  async results(
    { tenant, id }: Omit<TestRunName, "set">,
    { from, limit }: { from: number; limit: number },
  ): Promise<{ results: StoredTestResult[]; next?: number }> {
    const prefix = keys.testResults(tenant, id);
    const selector = { prefix, start: keys.testResult(tenant, id, from) };
    const results: StoredTestResult[] = [];
    const batchSize = Math.min(limit + 1, 100);
    for await (const entry of this.#kv.list(selector, { batchSize })) {
      const n = Number(entry.key.at(-1));
      if (results.length === limit) return { results, next: n };
      const result = parseRecord(testResultRecordSchema, entry)!;
      results.push({ n, result, words: await this.#open({ tenant, id, n }, result) });
    }
    return { results };
  }

  /** Deletes a run with its results; false if there is none. */
  async delete({ tenant, set, id }: TestRunName): Promise<boolean> {
    const key = keys.testRun(tenant, set, id);
    if ((await this.#kv.get(key)).versionstamp === null) return false;
    // First, so that no result is added any more.
    await this.#kv.delete(key);
    const prefix = keys.testResults(tenant, id);
    for await (const entry of this.#kv.list<{ visitor?: string }>({ prefix }, BATCH)) {
      const visitor = entry.value?.visitor;
      const index = visitor === undefined
        ? []
        : [keys.visitorTestResult(tenant, visitor, id, Number(entry.key.at(-1)))];
      await deleteKeys(this.#kv, [...index, entry.key]);
    }
    return true;
  }

  async #open(
    { tenant, id, n }: { tenant: string; id: string; n: number },
    { sealed }: TestResultRecord,
  ): Promise<TestWords | undefined> {
    try {
      const context = contentContexts.testResult(tenant, id, n);
      const text = new TextDecoder().decode(await this.#content.unseal(sealed, context));
      return testWordsSchema.parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
  }
}
