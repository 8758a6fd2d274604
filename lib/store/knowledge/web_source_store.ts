import type { Runtime } from "../../platform/runtime.ts";
import { WEB_SOURCE_BOUNDS } from "../../schemas/limits.ts";
import type {
  WebPage,
  WebSource,
  WebSourceBody,
  WebSourcePatch,
} from "../../schemas/web_source.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys, type WebSourceName } from "../keys/keys.ts";
import { deletePrefixes } from "../values/chunks.ts";
import { type Page, type PageRequest, readEntryPage } from "../values/page.ts";
import {
  type CommitStep,
  commitStep,
  parseRecord,
  retryUntilCommitted,
  updateRecord,
} from "../values/record.ts";
import { applyChange, knowledgeBaseRecordSchema } from "./knowledge_base_record.ts";
import {
  nextCrawlAt,
  toWebPage,
  toWebSource,
  webPageRecordSchema,
  type WebSourceRecord,
  webSourceRecordSchema,
  type WebSourceTask,
  webSourceTaskSchema,
} from "./web_source_record.ts";

type BaseName = { tenant: string; base: string };

export type NewSourceResult = { source: WebSource } | { rejected: "not_found" | "full" };

/** Website sources of all bases. `WebSourceTaskQueue` has their crawls. */
export class WebSourceStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Stores a source whose first crawl is due now. */
  create(
    base: BaseName,
    { url, kind, maxPages = WEB_SOURCE_BOUNDS.defaultPages, schedule = "off" }: WebSourceBody,
    options: { commit?: CommitStep<WebSource> | undefined } = {},
  ): Promise<NewSourceResult> {
    const now = this.#runtime.now();
    const record: WebSourceRecord = {
      ...{ v: 1, id: this.#runtime.uuid(), url, kind, schedule, createdAt: now },
      maxPages: kind === "page" ? 1 : maxPages,
    };
    const of = { ...base, id: record.id };
    const task = dueTask(now);
    const attempt = async (): Promise<NewSourceResult | undefined> => {
      const baseEntry = await this.#kv.get(keys.knowledgeBase(base.tenant, base.base));
      const stored = parseRecord(knowledgeBaseRecordSchema, baseEntry);
      if (stored === undefined) return { rejected: "not_found" };
      const others = await this.#records(base);
      if (others.length >= WEB_SOURCE_BOUNDS.sourcesPerBase) return { rejected: "full" };
      // The base changes too, so that two requests at once cannot exceed its number of sources.
      const step = this.#kv.atomic().check(baseEntry)
        .set(baseEntry.key, applyChange(stored, { now }))
        .set(keys.webSource(of), record)
        .set(keys.webSourceTask(of), task);
      this.#record(step, of, { action: "create", after: record });
      const source = toWebSource(record, { task, now });
      return await (options.commit ?? commitStep)(step, source) ? { source } : undefined;
    };
    return retryUntilCommitted(attempt, { what: "web source" });
  }

  async find(of: WebSourceName): Promise<WebSource | undefined> {
    const wanted = [keys.webSource(of), keys.webSourceTask(of)] as const;
    const [entry, task] = await this.#kv.getMany<[unknown, unknown]>(wanted);
    const record = parseRecord(webSourceRecordSchema, entry);
    return record && toWebSource(record, {
      task: parseRecord(webSourceTaskSchema, task),
      now: this.#runtime.now(),
    });
  }

  /** The record, for a crawl. */
  async read(of: WebSourceName): Promise<WebSourceRecord | undefined> {
    return parseRecord(webSourceRecordSchema, await this.#kv.get(keys.webSource(of)));
  }

  /** Oldest first: there are at most 20. */
  async list(base: BaseName): Promise<WebSource[]> {
    const all = await this.#records(base);
    const sources = await Promise.all(all.map(({ id }) => this.find({ ...base, id })));
    return sources.filter((source) => source !== undefined);
  }

  /** Changes the number of pages or the schedule; `undefined` if there is no such source. */
  async update(of: WebSourceName, patch: WebSourcePatch): Promise<WebSource | undefined> {
    const attempt = async () => {
      const wanted = [keys.webSource(of), keys.webSourceTask(of)] as const;
      const [entry, taskEntry] = await this.#kv.getMany<[unknown, unknown]>(wanted);
      const before = parseRecord(webSourceRecordSchema, entry);
      if (before === undefined) return { source: undefined };
      const task = parseRecord(webSourceTaskSchema, taskEntry);
      const now = this.#runtime.now();
      const { maxPages = before.maxPages, schedule = before.schedule } = patch;
      const after = {
        ...before,
        schedule,
        maxPages: before.kind === "page" ? 1 : maxPages,
      };
      const next = schedule === before.schedule ? task : rescheduled(task, { after, now });
      const step = this.#kv.atomic().check(entry, taskEntry).set(entry.key, after);
      if (next === undefined) step.delete(taskEntry.key);
      // Not written without need: the crawl that has claimed it would lose its claim.
      else if (next !== task) step.set(taskEntry.key, next);
      this.#record(step, of, { action: "change", before, after });
      const source = toWebSource(after, { task: next, now });
      return (await step.commit()).ok ? { source } : undefined;
    };
    return (await retryUntilCommitted(attempt, { what: "web source" })).source;
  }

  /** Has a source crawled as soon as a process is free; false if there is no such source. */
  async refresh(of: WebSourceName): Promise<boolean> {
    if (await this.read(of) === undefined) return false;
    const location = {
      ...{ key: keys.webSourceTask(of), schema: webSourceTaskSchema, what: "web source" },
    };
    const now = this.#runtime.now();
    await updateRecord(this.#kv, location, (task, save) => {
      // One that is running or waiting is enough.
      if (task !== undefined && (task.until > now || task.due <= now)) return;
      save(dueTask(now));
    });
    return true;
  }

  /** Ends the crawl that is running or waiting, and those to come. */
  async stop(of: WebSourceName): Promise<void> {
    await this.#kv.delete(keys.webSourceTask(of));
  }

  /** Deletes the source, but not its documents; false if there was none. */
  async delete(of: WebSourceName): Promise<boolean> {
    const entry = await this.#kv.get(keys.webSource(of));
    const before = parseRecord(webSourceRecordSchema, entry);
    if (before === undefined) return false;
    const step = this.#kv.atomic().check(entry).delete(entry.key).delete(keys.webSourceTask(of));
    this.#record(step, of, { action: "delete", before });
    if (!(await step.commit()).ok) return await this.delete(of);
    await deletePrefixes(this.#kv, [keys.webPages(of)]);
    return true;
  }

  pages(of: WebSourceName, page: PageRequest): Promise<Page<WebPage>> {
    const load = (entry: Deno.KvEntry<unknown>) =>
      Promise.resolve(toWebPage(parseRecord(webPageRecordSchema, entry)!));
    return readEntryPage(this.#kv, keys.webPages(of), { ...page, load });
  }

  async #records({ tenant, base }: BaseName): Promise<WebSourceRecord[]> {
    const list = this.#kv.list({ prefix: keys.webSources(tenant, base) });
    // Ids begin with the time.
    return await Array.fromAsync(list, (entry) => parseRecord(webSourceRecordSchema, entry)!);
  }

  #record(
    step: Deno.AtomicOperation,
    { tenant }: WebSourceName,
    { action, before, after }: {
      action: "create" | "change" | "delete";
      before?: WebSourceRecord;
      after?: WebSourceRecord;
    },
  ): void {
    const { id, url } = after ?? before!;
    recordChange(step, this.#runtime, {
      ...{ tenant, kind: "web source", action, target: { id, name: url } },
      before: before && auditedFields(before),
      after: after && auditedFields(after),
    });
  }
}

function auditedFields({ url, kind, maxPages, schedule }: WebSourceRecord) {
  return { url, kind, maxPages, schedule };
}

function dueTask(now: number): WebSourceTask {
  return { v: 1, due: now, until: 0, tries: 0 };
}

/** The task under another schedule; a crawl that runs or waits is not affected. */
function rescheduled(
  task: WebSourceTask | undefined,
  { after, now }: { after: WebSourceRecord; now: number },
): WebSourceTask | undefined {
  if (task !== undefined && (task.until > now || task.due <= now)) return task;
  const due = nextCrawlAt(after.schedule, after.last?.endedAt ?? now);
  return due === undefined ? undefined : dueTask(due);
}
