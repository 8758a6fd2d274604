import type { Runtime } from "../../platform/runtime.ts";
import type {
  KnowledgeBase,
  KnowledgeBaseBody,
  KnowledgeBasePatch,
} from "../../schemas/knowledge.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";
import { deletePrefixes } from "../values/chunks.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, updateRecord } from "../values/record.ts";
import {
  type KnowledgeBaseRecord,
  knowledgeBaseRecordSchema,
  toKnowledgeBase,
} from "./knowledge_base_record.ts";
import { type KnowledgeQuota, knowledgeStorageUsage, readBaseBytes } from "./knowledge_usage.ts";

/** The versions of a base that a change expects. */
type IfMatch = { ifMatch?: readonly number[] | undefined };

/** `undefined` if the step did not commit. */
type Deletion = { deleted: boolean | "version_conflict" } | undefined;

/** Knowledge bases of all tenants; every method takes the tenant first and sees only its bases. */
export class KnowledgeBaseStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #usage: StorageUsage<KnowledgeQuota>;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = knowledgeStorageUsage(kv);
  }

  /** Throws `ApiError` 403 beyond the plan's quota. `commit` may add to the step. */
  async create(
    tenant: string,
    body: KnowledgeBaseBody,
    options: { commit?: CommitStep<KnowledgeBase> | undefined } = {},
  ): Promise<KnowledgeBase> {
    const now = this.#runtime.now();
    const record: KnowledgeBaseRecord = {
      v: 1,
      id: this.#runtime.uuid(),
      ...withOptionalFields({ name: body.name }, body),
      version: 1,
      documents: 0,
      chunks: 0,
      sourceBytes: 0,
      createdAt: now,
      updatedAt: now,
    };
    const key = keys.knowledgeBase(tenant, record.id);
    const created = toKnowledgeBase(record);
    return await this.#usage.change(tenant, async (usage) => {
      usage.add("knowledgeBases", 1);
      const step = this.#kv.atomic()
        .check({ key, versionstamp: null })
        .set(key, record)
        .set(keys.knowledgeBaseByCreated(tenant, now, record.id), record.id);
      usage.writeTo(step);
      this.#record(step, tenant, { action: "create", after: record });
      return await (options.commit ?? commitStep)(step, created) ? created : undefined;
    });
  }

  async get(tenant: string, id: string): Promise<KnowledgeBaseRecord | undefined> {
    const entry = await this.#kv.get(keys.knowledgeBase(tenant, id));
    return parseRecord(knowledgeBaseRecordSchema, entry);
  }

  /** Newest first. */
  async list(tenant: string, page: PageRequest): Promise<Page<KnowledgeBase>> {
    const load = async (id: string) => {
      const record = await this.get(tenant, id);
      return record && toKnowledgeBase(record);
    };
    return await readPage(this.#kv, keys.knowledgeBasesByCreated(tenant), { ...page, load });
  }

  /**
   * An empty description and a `null` language remove the field. Writes nothing if nothing changes.
   */
  update(
    tenant: string,
    id: string,
    { ifMatch, ...change }: KnowledgeBasePatch & IfMatch,
  ): Promise<KnowledgeBase | "not_found" | "version_conflict"> {
    const key = keys.knowledgeBase(tenant, id);
    const location = { key, schema: knowledgeBaseRecordSchema, what: "knowledge base" };
    return updateRecord(this.#kv, location, (record, save) => {
      if (record === undefined) return "not_found" as const;
      const { revision = 1 } = record;
      if (ifMatch !== undefined && !ifMatch.includes(revision)) return "version_conflict" as const;
      const { name, description, language, ...rest } = record;
      const next = withOptionalFields({ ...rest, name: change.name ?? name }, {
        description: change.description ?? description,
        language: change.language === undefined ? language : change.language,
      });
      const isSame = next.name === name && next.description === description &&
        next.language === language;
      if (isSame) return toKnowledgeBase(record);
      next.version++;
      next.revision = revision + 1;
      next.updatedAt = this.#runtime.now();
      this.#record(save(next), tenant, { action: "change", before: record, after: next });
      return toKnowledgeBase(next);
    });
  }

  /** Deletes the base in one step, and then its contents; false if there was none. */
  async delete(
    tenant: string,
    id: string,
    { ifMatch }: IfMatch = {},
  ): Promise<boolean | "version_conflict"> {
    const { deleted } = await this.#usage.change(tenant, async (usage): Promise<Deletion> => {
      const entry = await this.#kv.get(keys.knowledgeBase(tenant, id));
      const record = parseRecord(knowledgeBaseRecordSchema, entry);
      if (record === undefined) return { deleted: false };
      if (ifMatch !== undefined && !ifMatch.includes(record.revision ?? 1)) {
        return { deleted: "version_conflict" };
      }
      const step = this.#kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(keys.knowledgeBaseByCreated(tenant, record.createdAt, id))
        .set(keys.knowledgeBasePendingDeletion(tenant, id), { v: 1 });
      // Every change of a document also changes the base, so the sum is valid if the base is unchanged.
      usage.add("knowledgeBytes", -await readBaseBytes(this.#kv, { tenant, base: id }));
      usage.add("knowledgeBases", -1);
      usage.writeTo(step);
      this.#record(step, tenant, { action: "delete", before: record });
      return (await step.commit()).ok ? { deleted: true } : undefined;
    });
    if (deleted === true) await this.#deleteContents(tenant, id);
    return deleted;
  }

  /** Completes interrupted deletions. */
  async sweep(): Promise<void> {
    for await (const { key } of this.#kv.list({ prefix: keys.knowledgeBasesPendingDeletion() })) {
      await this.#deleteContents(String(key[1]), String(key[2]));
    }
  }

  #record(
    step: Deno.AtomicOperation,
    tenant: string,
    { action, before, after }: AuditedBaseChange,
  ): void {
    const { id, name } = after ?? before!;
    recordChange(step, this.#runtime, {
      ...{ tenant, kind: "knowledge base", action, target: { id, name } },
      before: before && auditedFields(before),
      after: after && auditedFields(after),
    });
  }

  async #deleteContents(tenant: string, id: string): Promise<void> {
    await deletePrefixes(this.#kv, [
      // First, so that processes that store or process its documents stop writing.
      keys.knowledgeBaseDocumentTasks(tenant, id),
      keys.knowledgeBaseWebSourceTasks(tenant, id),
      keys.webSources(tenant, id),
      keys.knowledgeBaseWebPages(tenant, id),
      keys.documentsByCreated(tenant, id),
      keys.documents(tenant, id),
      keys.indexedDocuments(tenant, id),
      keys.knowledgeBasePassageChunks(tenant, id),
      keys.knowledgeBaseSourceChunks(tenant, id),
    ]);
    await this.#kv.delete(keys.knowledgeBasePendingDeletion(tenant, id));
  }
}

interface AuditedBaseChange {
  action: "create" | "change" | "delete";
  before?: KnowledgeBaseRecord;
  after?: KnowledgeBaseRecord;
}

function auditedFields({ name, description, language, documents }: KnowledgeBaseRecord) {
  return { name, description, language, documents };
}

/** Adds the optional fields that have a value. */
function withOptionalFields<T extends object>(
  base: T,
  { description, language }: Pick<KnowledgeBasePatch, "description" | "language">,
): T & Pick<KnowledgeBaseBody, "description" | "language"> {
  return {
    ...base,
    ...(description ? { description } : {}),
    ...(language ? { language } : {}),
  };
}
