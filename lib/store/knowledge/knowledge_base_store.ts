import type { Runtime } from "../../platform/runtime.ts";
import type {
  KnowledgeBase,
  KnowledgeBaseBody,
  KnowledgeBasePatch,
} from "../../schemas/knowledge.ts";
import { recordChange } from "../audit/audit_record.ts";
import { deletePrefixes } from "../values/chunks.ts";
import { keys } from "../keys/keys.ts";
import {
  type KnowledgeBaseRecord,
  knowledgeBaseRecordSchema,
  toKnowledgeBase,
} from "./knowledge_base_record.ts";
import { type KnowledgeQuota, knowledgeStorageUsage, readBaseBytes } from "./knowledge_usage.ts";
import { type Page, type PageRequest, readPage } from "../values/page.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";
import type { StorageUsage } from "../tenants/storage_usage.ts";

/** Knowledge bases of all tenants; every method takes the tenant first and sees nothing outside it. */
export class KnowledgeBaseStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #usage: StorageUsage<KnowledgeQuota>;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#usage = knowledgeStorageUsage(kv);
  }

  /** Throws `ApiError` 403 when the plan has no room for another one. `commit` may add to the step. */
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
    const made = toKnowledgeBase(record);
    return await this.#usage.change(tenant, async (usage) => {
      usage.add("knowledgeBases", 1);
      const creation = this.#kv.atomic()
        .check({ key, versionstamp: null })
        .set(key, record)
        .set(keys.knowledgeBaseByCreated(tenant, now, record.id), record.id);
      usage.writeTo(creation);
      this.#record(creation, tenant, { action: "create", after: record });
      return await (options.commit ?? commitStep)(creation, made) ? made : undefined;
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
   * An empty description removes it, and so does a language of `null`; a change that changes nothing
   * stores nothing.
   */
  update(
    tenant: string,
    id: string,
    change: KnowledgeBasePatch,
  ): Promise<KnowledgeBase | "not_found"> {
    return retryUntilCommitted(async () => {
      const entry = await this.#kv.get(keys.knowledgeBase(tenant, id));
      const record = parseRecord(knowledgeBaseRecordSchema, entry);
      if (record === undefined) return "not_found" as const;
      const { name, description, language, ...rest } = record;
      const next = withOptionalFields({ ...rest, name: change.name ?? name }, {
        description: change.description ?? description,
        language: change.language === undefined ? language : change.language,
      });
      const same = next.name === name && next.description === description &&
        next.language === language;
      if (same) return toKnowledgeBase(record);
      next.version++;
      next.updatedAt = this.#runtime.now();
      const step = this.#kv.atomic().check(entry).set(entry.key, next);
      this.#record(step, tenant, { action: "change", before: record, after: next });
      const { ok } = await step.commit();
      return ok ? toKnowledgeBase(next) : undefined;
    }, { what: "knowledge base" });
  }

  /** Deletes the base in one step, and then all that was in it; answers whether there was one. */
  async delete(tenant: string, id: string): Promise<boolean> {
    const there = await this.#usage.change(tenant, async (usage) => {
      const entry = await this.#kv.get(keys.knowledgeBase(tenant, id));
      const record = parseRecord(knowledgeBaseRecordSchema, entry);
      if (record === undefined) return { was: false };
      const step = this.#kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(keys.knowledgeBaseByCreated(tenant, record.createdAt, id))
        .set(keys.knowledgeBasePendingDeletion(tenant, id), { v: 1 });
      // Every change of its documents changes the base too, so the sum holds if the base is the same.
      usage.add("knowledgeBytes", -await readBaseBytes(this.#kv, { tenant, base: id }));
      usage.add("knowledgeBases", -1);
      usage.writeTo(step);
      this.#record(step, tenant, { action: "delete", before: record });
      const { ok } = await step.commit();
      return ok ? { was: true } : undefined;
    });
    if (there.was) await this.#deleteContents(tenant, id);
    return there.was;
  }

  /** Clears away what deletions have left that were cut off. */
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
      // First of all: whoever is storing or reading one of its documents writes no more of it.
      keys.knowledgeBaseDocumentTasks(tenant, id),
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

/** What of a base the audit log tells. */
function auditedFields({ name, description, language, documents }: KnowledgeBaseRecord) {
  return { name, description, language, documents };
}

/** The base with the fields that may be absent, where they hold something. */
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
