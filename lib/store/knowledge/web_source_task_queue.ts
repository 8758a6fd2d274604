import type { Runtime } from "../../platform/runtime.ts";
import type { CrawlCounts, CrawlError } from "../../schemas/web_source.ts";
import { keys, type WebSourceName } from "../keys/keys.ts";
import { isActive } from "../tenants/require_active_tenant.ts";
import { planRecordSchema } from "../tenants/tenant_store.ts";
import { parseRecord } from "../values/record.ts";
import {
  nextCrawlAt,
  NO_COUNTS,
  type WebPageRecord,
  webPageRecordSchema,
  type WebSourceRecord,
  webSourceRecordSchema,
  type WebSourceTask,
  webSourceTaskSchema,
} from "./web_source_record.ts";

/** Without a sign of its owner, a claimed crawl can be claimed again after this long. */
export const CRAWL_CLAIM_MS = 120_000;
/** A crawl that ended this many processes waits for its next turn. */
const MAX_TRIES = 3;

/** A crawl that another process has claimed meanwhile, or whose source was deleted or tenant suspended. */
export class CrawlLostError extends Error {
  override name = "CrawlLostError";
}

/** A crawl that this process owns while the task is the one it wrote last. */
export interface ClaimedCrawl {
  of: WebSourceName;
  id: string;
  source: WebSourceRecord;
  startedAt: number;
  versionstamp: string;
  tries: number;
}

export interface CrawlResult {
  counts: CrawlCounts;
  error?: CrawlError | undefined;
  leftOut?: boolean;
}

/** Crawls that are due. Any process may claim one; the claims of dead processes expire. */
export class WebSourceTaskQueue {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;
  /** Tenants take turns. */
  #lastTenant = "";

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** Claims a crawl that is due; `undefined` if there is none. */
  async take(): Promise<ClaimedCrawl | undefined> {
    const now = this.#runtime.now();
    const due: Deno.KvEntry<unknown>[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.webSourceTasks() })) {
      const task = parseRecord(webSourceTaskSchema, entry)!;
      if (task.due <= now && task.until <= now) due.push(entry);
    }
    const isLater = ({ key }: Deno.KvEntry<unknown>) => String(key[1]) > this.#lastTenant;
    const turns = [...due.filter(isLater), ...due.filter((entry) => !isLater(entry))];
    for (const entry of turns) {
      const claimed = await this.#claim(entry, parseRecord(webSourceTaskSchema, entry)!);
      if (claimed === undefined) continue;
      this.#lastTenant = claimed.of.tenant;
      return claimed;
    }
    return undefined;
  }

  /** Extends the claim. Throws `CrawlLostError`. */
  async renew(crawl: ClaimedCrawl, counts: CrawlCounts): Promise<void> {
    await this.#write(crawl, this.#kv.atomic(), counts);
  }

  /** Stores what is known of a page, and extends the claim. Throws `CrawlLostError`. */
  async savePage(
    crawl: ClaimedCrawl,
    { page, counts }: { page: WebPageRecord; counts: CrawlCounts },
  ): Promise<void> {
    const key = await pageKey(crawl.of, page.url);
    await this.#write(crawl, this.#kv.atomic().set(key, page), counts);
  }

  /** Like `savePage`, in a step that also writes more; false if one of its own checks failed. */
  async commitPage(
    crawl: ClaimedCrawl,
    { step, page, counts }: {
      step: Deno.AtomicOperation;
      page: WebPageRecord;
      counts: CrawlCounts;
    },
  ): Promise<boolean> {
    const key = await pageKey(crawl.of, page.url);
    return await this.#commit(crawl, step.set(key, page), counts);
  }

  /** Forgets a page, and extends the claim. Throws `CrawlLostError`. */
  async deletePage(
    crawl: ClaimedCrawl,
    { url, counts }: { url: string; counts: CrawlCounts },
  ): Promise<void> {
    const key = await pageKey(crawl.of, url);
    await this.#write(crawl, this.#kv.atomic().delete(key), counts);
  }

  /** The known pages of a source, by URL. */
  async pages(of: WebSourceName): Promise<Map<string, WebPageRecord>> {
    const pages = new Map<string, WebPageRecord>();
    for await (const entry of this.#kv.list({ prefix: keys.webPages(of) })) {
      const page = parseRecord(webPageRecordSchema, entry)!;
      pages.set(page.url, page);
    }
    return pages;
  }

  /** Stores the result and when the source is crawled next. Throws `CrawlLostError`. */
  async finish(
    crawl: ClaimedCrawl,
    { counts, error, leftOut = false }: CrawlResult,
  ): Promise<void> {
    const task = keys.webSourceTask(crawl.of);
    for (;;) {
      const entry = await this.#kv.get(keys.webSource(crawl.of));
      const source = parseRecord(webSourceRecordSchema, entry);
      if (source === undefined) throw new CrawlLostError();
      const endedAt = this.#runtime.now();
      const last = { startedAt: crawl.startedAt, endedAt, counts, leftOut, ...error && { error } };
      const due = nextCrawlAt(source.schedule, endedAt);
      const step = this.#kv.atomic()
        .check(entry, { key: task, versionstamp: crawl.versionstamp })
        .set(entry.key, { ...source, last });
      if (due === undefined) step.delete(task);
      else step.set(task, { v: 1, due, until: 0, tries: 0 } satisfies WebSourceTask);
      if ((await step.commit()).ok) return;
      const { versionstamp } = await this.#kv.get(task);
      if (versionstamp !== crawl.versionstamp) throw new CrawlLostError();
    }
  }

  /** Releases the claim as if it had not been made; another process may begin again. */
  async release({ of, versionstamp, tries }: ClaimedCrawl): Promise<void> {
    const key = keys.webSourceTask(of);
    const task: WebSourceTask = { v: 1, due: this.#runtime.now(), until: 0, tries };
    await this.#kv.atomic().check({ key, versionstamp }).set(key, task).commit();
  }

  async #claim(
    entry: Deno.KvEntry<unknown>,
    { due, tries }: WebSourceTask,
  ): Promise<ClaimedCrawl | undefined> {
    const [, tenant, base, id] = entry.key.map(String) as [string, string, string, string];
    const of = { tenant, base, id };
    if (!await this.#isActive(tenant)) return undefined;
    const source = parseRecord(webSourceRecordSchema, await this.#kv.get(keys.webSource(of)));
    if (source === undefined) {
      await this.#kv.atomic().check(entry).delete(entry.key).commit();
      return undefined;
    }
    const startedAt = this.#runtime.now();
    const crawl = { id: this.#runtime.uuid(), startedAt, counts: NO_COUNTS };
    const until = startedAt + CRAWL_CLAIM_MS;
    const task: WebSourceTask = { v: 1, due, until, tries: tries + 1, crawl };
    const claimed = await this.#kv.atomic().check(entry).set(entry.key, task).commit();
    if (!claimed.ok) return undefined;
    const { versionstamp } = claimed;
    const result = { of, id: crawl.id, source, startedAt, versionstamp, tries };
    if (tries < MAX_TRIES) return result;
    await this.finish(result, { counts: NO_COUNTS, error: "interrupted" }).catch(ignoreLost);
    return undefined;
  }

  /** A suspended tenant's crawls stop at their next page, and begin again once it is resumed. */
  async #isActive(tenant: string): Promise<boolean> {
    const plan = parseRecord(planRecordSchema, await this.#kv.get(keys.plan(tenant)));
    return plan === undefined || isActive(plan);
  }

  async #write(
    crawl: ClaimedCrawl,
    step: Deno.AtomicOperation,
    counts: CrawlCounts,
  ): Promise<void> {
    if (!await this.#commit(crawl, step, counts)) throw new CrawlLostError();
  }

  async #commit(
    crawl: ClaimedCrawl,
    step: Deno.AtomicOperation,
    counts: CrawlCounts,
  ): Promise<boolean> {
    const { of, id, startedAt, tries, versionstamp } = crawl;
    if (!await this.#isActive(of.tenant)) throw new CrawlLostError();
    const key = keys.webSourceTask(of);
    const until = this.#runtime.now() + CRAWL_CLAIM_MS;
    const task: WebSourceTask = {
      ...{ v: 1, due: startedAt, until, tries: tries + 1 },
      crawl: { id, startedAt, counts: { ...counts } },
    };
    const written = await step.check({ key, versionstamp }).set(key, task).commit();
    if (written.ok) {
      crawl.versionstamp = written.versionstamp;
      return true;
    }
    const current = await this.#kv.get(key);
    if (current.versionstamp !== versionstamp) throw new CrawlLostError();
    return false;
  }
}

async function pageKey(of: WebSourceName, url: string): Promise<Deno.KvKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url));
  return keys.webPage(of, new Uint8Array(digest).toHex());
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof CrawlLostError)) throw error;
}
