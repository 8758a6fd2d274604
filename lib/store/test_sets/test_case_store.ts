import type { Runtime } from "../../platform/runtime.ts";
import { TEST_BOUNDS } from "../../schemas/limits.ts";
import { type TestCaseBody, testCaseBodySchema } from "../../schemas/test_case.ts";
import { recordChange } from "../audit/audit_record.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { testCaseHash } from "./test_case_hash.ts";
import type { Page, PageRequest } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  type TestCaseRecord,
  testCaseRecordSchema,
  type TestSetRecord,
  testSetRecordSchema,
} from "./test_set_record.ts";

type SetName = { tenant: string; id: string };
type CaseName = { tenant: string; set: string; id: string };

export interface StoredTestCase {
  id: string;
  body: TestCaseBody;
  createdAt: number;
  updatedAt: number;
  /** The hash of the visitor whose question it is. */
  visitor?: string | undefined;
}

/** The hashes of the body that a change expects. */
type IfMatch = { ifMatch?: readonly string[] | undefined };

export type CaseRejection = "not_found" | "changed" | "full" | "too_large" | "no_run";

/** The cases of test sets. Each change counts in the set's `casesRevision`. */
export class TestCaseStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(
    kv: Deno.Kv,
    deps: { content: ContentCipher; runtime: Pick<Runtime, "now" | "uuid"> },
  ) {
    this.#kv = kv;
    this.#content = deps.content;
    this.#runtime = deps.runtime;
  }

  /**
   * Adds all cases in one step, or none. Of those that are made of a `run` their visitor is known, and none
   * are added if it is gone. Throws `ApiError` 413 for more than one step takes.
   */
  async add(
    { tenant, id: set }: SetName,
    bodies: readonly TestCaseBody[],
    options: {
      commit?: CommitStep<string[]> | undefined;
      run?: { id: string; visitor: string | undefined } | undefined;
    } = {},
  ): Promise<{ ids: string[] } | { rejected: CaseRejection }> {
    const now = this.#runtime.now();
    const ids = bodies.map(() => this.#runtime.uuid());
    const records = await Promise.all(
      bodies.map((body, n) =>
        this.#seal({ tenant, set, id: ids[n]! }, {
          ...{ body, createdAt: now, visitor: options.run?.visitor },
        })
      ),
    );
    const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
    let isRunGone = false;
    const rejection = await this.#change({ tenant, id: set }, {
      ...{ action: "add cases", cases: ids.length, bytes },
      write: (step) =>
        records.forEach((record, n) => step.set(keys.testCase(tenant, set, ids[n]!), record)),
      commit: async (step) => {
        if (options.run !== undefined) {
          const run = await this.#kv.get(keys.run(tenant, options.run.id));
          isRunGone = run.versionstamp === null;
          // An erasure that has deleted the run deletes no cases that come later.
          if (isRunGone) return true;
          step.check(run);
        }
        return await (options.commit ?? commitStep)(step, ids);
      },
    });
    return rejection ?? (isRunGone ? { rejected: "no_run" } : { ids });
  }

  async find(name: CaseName): Promise<StoredTestCase | undefined> {
    const { tenant, set, id } = name;
    const entry = await this.#kv.get(keys.testCase(tenant, set, id));
    return await this.#open(name, parseRecord(testCaseRecordSchema, entry));
  }

  /** Replaces the body of a case. */
  async replace(
    name: CaseName,
    body: TestCaseBody,
    { ifMatch }: IfMatch = {},
  ): Promise<StoredTestCase | { rejected: CaseRejection }> {
    const { tenant, set, id } = name;
    const key = keys.testCase(tenant, set, id);
    return await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(testCaseRecordSchema, entry);
      if (before === undefined) return { rejected: "not_found" as const };
      if (!await this.#isMet(name, before, ifMatch)) return { rejected: "changed" as const };
      const record = await this.#seal(name, { ...before, body });
      let isLost = false;
      const rejection = await this.#change({ tenant, id: set }, {
        ...{ action: "change case", cases: 0, bytes: record.bytes - before.bytes },
        write: (step) => step.check(entry).set(key, record),
        commit: async (step) => {
          if ((await step.commit()).ok) return true;
          isLost = (await this.#kv.get(key)).versionstamp !== entry.versionstamp;
          return isLost;
        },
      });
      if (rejection !== undefined) return rejection;
      const { createdAt, updatedAt } = record;
      return isLost ? undefined : { id, body, createdAt, updatedAt };
    }, { what: "test case" });
  }

  /** False if there is none. */
  async delete(name: CaseName, { ifMatch }: IfMatch = {}): Promise<boolean | "changed"> {
    const { tenant, set, id } = name;
    const key = keys.testCase(tenant, set, id);
    return await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(testCaseRecordSchema, entry);
      if (before === undefined) return false;
      if (!await this.#isMet(name, before, ifMatch)) return "changed" as const;
      let isLost = false;
      const rejection = await this.#change({ tenant, id: set }, {
        ...{ action: "delete case", cases: -1, bytes: -before.bytes },
        write: (step) => step.check(entry).delete(key),
        commit: async (step) => {
          if ((await step.commit()).ok) return true;
          isLost = (await this.#kv.get(key)).versionstamp !== entry.versionstamp;
          return isLost;
        },
      });
      return isLost ? undefined : rejection === undefined;
    }, { what: "test case" });
  }

  /** Oldest first. `cursor` is the id of the last case before. Cases that cannot be decrypted are left out. */
  async list({ tenant, id: set }: SetName, page: PageRequest): Promise<Page<StoredTestCase>> {
    const { limit, cursor } = page;
    const prefix = keys.testCases(tenant, set);
    const data: StoredTestCase[] = [];
    let last = cursor;
    const selector = cursor === undefined
      ? { prefix }
      : { prefix, start: [...keys.testCase(tenant, set, cursor), ""] };
    for await (const entry of this.#kv.list(selector, { batchSize: Math.min(limit + 1, 100) })) {
      if (data.length === limit) return { data, nextCursor: last! };
      const id = String(entry.key.at(-1));
      const found = await this.#open(
        { tenant, set, id },
        parseRecord(testCaseRecordSchema, entry),
      );
      if (found !== undefined) data.push(found);
      last = id;
    }
    return { data };
  }

  /** All cases, oldest first, as they are at one revision. */
  async all(name: SetName): Promise<{ set: TestSetRecord; cases: StoredTestCase[] } | undefined> {
    return (await retryUntilCommitted(async () => {
      const set = await this.#set(name);
      if (set === undefined) return { found: undefined };
      const { data: cases } = await this.list(name, { limit: TEST_BOUNDS.casesPerSet });
      const after = await this.#set(name);
      const isSame = after?.casesRevision === set.casesRevision;
      return isSame ? { found: { set, cases } } : undefined;
    }, { what: "test cases" })).found;
  }

  async #set({ tenant, id }: SetName): Promise<TestSetRecord | undefined> {
    return parseRecord(testSetRecordSchema, await this.#kv.get(keys.testSet(tenant, id)));
  }

  /** Changes cases together with the counts of their set; `undefined` if it is done. */
  #change(
    { tenant, id }: SetName,
    { action, cases, bytes, write, commit }: {
      action: string;
      /** How many more there are afterwards. */
      cases: number;
      bytes: number;
      write: (step: Deno.AtomicOperation) => void;
      commit: (step: Deno.AtomicOperation) => Promise<boolean>;
    },
  ): Promise<{ rejected: CaseRejection } | undefined> {
    return retryUntilCommitted(async () => {
      const entry = await this.#kv.get(keys.testSet(tenant, id));
      const set = parseRecord(testSetRecordSchema, entry);
      if (set === undefined) return { done: { rejected: "not_found" as const } };
      const next = {
        ...set,
        cases: set.cases + cases,
        caseBytes: set.caseBytes + bytes,
        casesRevision: set.casesRevision + 1,
      };
      if (cases > 0 && next.cases > TEST_BOUNDS.casesPerSet) {
        return { done: { rejected: "full" as const } };
      }
      if (bytes > 0 && next.caseBytes > TEST_BOUNDS.setBytes) {
        return { done: { rejected: "too_large" as const } };
      }
      const step = this.#kv.atomic().check(entry).set(entry.key, next);
      write(step);
      recordChange(step, this.#runtime, {
        ...{ tenant, kind: "test set", action, target: { id, name: set.name } },
        before: { cases: set.cases },
        after: { cases: next.cases },
      });
      return await commit(step) ? { done: undefined } : undefined;
    }, { what: "test set" }).then(({ done }) => done);
  }

  /** A case that cannot be decrypted meets no condition. */
  async #isMet(
    name: CaseName,
    record: TestCaseRecord,
    ifMatch: IfMatch["ifMatch"],
  ): Promise<boolean> {
    if (ifMatch === undefined) return true;
    const found = await this.#open(name, record);
    return found !== undefined && ifMatch.includes(testCaseHash(found.body));
  }

  async #seal(
    { tenant, set, id }: CaseName,
    { body, createdAt, visitor }: {
      body: TestCaseBody;
      createdAt: number;
      visitor?: string | undefined;
    },
  ): Promise<TestCaseRecord> {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const sealed = await this.#content.seal(bytes, contentContexts.testCase(tenant, set, id));
    return {
      ...{ v: 1, sealed, bytes: bytes.length, createdAt, updatedAt: this.#runtime.now() },
      ...visitor !== undefined && { visitor },
    };
  }

  async #open(
    { tenant, set, id }: CaseName,
    record: TestCaseRecord | undefined,
  ): Promise<StoredTestCase | undefined> {
    if (record === undefined) return undefined;
    const { sealed, ...facts } = record;
    try {
      const context = contentContexts.testCase(tenant, set, id);
      const text = new TextDecoder().decode(await this.#content.unseal(sealed, context));
      return { ...facts, id, body: testCaseBodySchema.parse(JSON.parse(text)) };
    } catch (error) {
      if (error instanceof UnreadableContentError) return undefined;
      throw error;
    }
  }
}
