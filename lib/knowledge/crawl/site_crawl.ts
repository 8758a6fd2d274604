import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { WEB_SOURCE_BOUNDS } from "../../schemas/limits.ts";
import type { CrawlError } from "../../schemas/web_source.ts";
import type { WebPageRecord } from "../../store/knowledge/web_source_record.ts";
import type { ClaimedCrawl } from "../../store/knowledge/web_source_task_queue.ts";
import type { WorkerPool } from "../ingest/worker/worker_pool.ts";
import { CrawlFrontier, type FrontierEntry } from "./crawl_frontier.ts";
import { CrawlScope } from "./crawl_scope.ts";
import { BaseFullError, type CrawledPages } from "./crawled_pages.ts";
import type { HostPace } from "./host_pace.ts";
import { loadSitemaps } from "./load_sitemaps.ts";
import { AddressNotAllowedError, type FetchedPage, PageFetcher } from "./page_fetcher.ts";
import { isReadableType, readContent } from "./read_content.ts";
import { RobotsCache, RobotsUnavailableError } from "./robots_cache.ts";

const MAX_CRAWL_MS = 60 * 60_000;
/** Redirects and canonical links in a row. */
const MAX_HOPS = 5;
/** A site that fails this often in a row is down. */
const MAX_FAILURES_IN_A_ROW = 5;

interface SiteCrawlDeps {
  egress: Pick<Egress, "open">;
  pace: HostPace;
  workers: Pick<WorkerPool, "run">;
  runtime: Pick<Runtime, "now">;
  signal: AbortSignal;
  /** Extends the claim of the crawl. */
  onProgress: () => Promise<void>;
}

/** One crawl of a source: which pages it fetches, and when it ends. */
export class SiteCrawl {
  readonly #deps: SiteCrawlDeps;
  readonly #crawl: ClaimedCrawl;
  readonly #known: ReadonlyMap<string, WebPageRecord>;
  readonly #pages: CrawledPages;
  readonly #scope: CrawlScope;
  readonly #fetcher: PageFetcher;
  readonly #robots: RobotsCache;
  readonly #frontier: CrawlFrontier;
  /** Requests that are left: a site may answer with nothing but redirects and duplicates. */
  #requests: number;
  #failures = 0;
  /** Whether there are pages for which the source has no room. */
  leftOut = false;

  constructor(deps: SiteCrawlDeps, { crawl, known, pages }: {
    crawl: ClaimedCrawl;
    known: ReadonlyMap<string, WebPageRecord>;
    pages: CrawledPages;
  }) {
    const { signal } = deps;
    const { maxPages, url } = crawl.source;
    this.#deps = deps;
    this.#crawl = crawl;
    this.#known = new Map(known);
    this.#pages = pages;
    this.#scope = new CrawlScope(new URL(url));
    this.#fetcher = new PageFetcher(deps, { scope: this.#scope, tenant: crawl.of.tenant });
    this.#robots = new RobotsCache({ fetcher: this.#fetcher, scope: this.#scope, signal });
    this.#frontier = new CrawlFrontier({ maxEntries: 10 * maxPages + 2 * known.size + 100 });
    this.#requests = 2 * maxPages + known.size + 20;
  }

  /** Fetches the pages until there are no more; returns why it ended early, if it did. */
  async run(): Promise<CrawlError | undefined> {
    try {
      return await this.#seed() ?? await this.#visitAll();
    } catch (error) {
      this.#deps.signal.throwIfAborted();
      if (error instanceof RobotsUnavailableError) return "robots_unavailable";
      if (error instanceof AddressNotAllowedError) return "address_not_allowed";
      if (error instanceof BaseFullError) return "full";
      throw error;
    }
  }

  async #seed(): Promise<CrawlError | undefined> {
    const { source: { kind, url, maxPages }, of: { tenant } } = this.#crawl;
    const start = this.#scope.resolve(url);
    if (start === undefined) return "address_not_allowed";
    if (kind !== "sitemap") {
      this.#add(start, { depth: 0 });
      return undefined;
    }
    const { workers, signal, onProgress } = this.#deps;
    const pages = await loadSitemaps(start, {
      ...{ workers, signal, tenant, onRead: onProgress, maxPages: 2 * maxPages },
      ...{ fetcher: this.#fetcher, robots: this.#robots, scope: this.#scope },
    });
    for (const page of pages ?? []) this.#add(page, { depth: 0 });
    return pages === undefined ? "no_sitemap" : undefined;
  }

  async #visitAll(): Promise<CrawlError | undefined> {
    const deadline = this.#deps.runtime.now() + MAX_CRAWL_MS;
    let areKnownAdded = false;
    for (;;) {
      const entry = this.#frontier.take();
      if (entry === undefined) {
        if (areKnownAdded) return undefined;
        areKnownAdded = true;
        this.#addKnown();
        continue;
      }
      if (this.#deps.runtime.now() > deadline) return "out_of_time";
      if (this.#failures >= MAX_FAILURES_IN_A_ROW) return "site_unavailable";
      await this.#visit(entry);
    }
  }

  /** Pages that no link leads to any more may still be there. */
  #addKnown(): void {
    for (const { url, depth, documentId } of this.#known.values()) {
      const resolved = this.#scope.resolve(url);
      if (resolved !== undefined && documentId !== undefined) this.#add(resolved, { depth });
    }
  }

  async #visit(entry: FrontierEntry): Promise<void> {
    const { url } = entry;
    const isStored = this.#pages.isStored(url);
    const { maxPages, last } = this.#crawl.source;
    if (isStored && this.#pages.stored > maxPages) {
      this.leftOut = true;
      return await this.#pages.skip(entry, "full");
    }
    if (!isStored && (this.#pages.stored >= maxPages || this.#requests <= 0)) {
      this.leftOut = true;
      return;
    }
    const rules = await this.#robots.rulesOf(url);
    if (!rules.allows(url)) return await this.#pages.skip(entry, "robots");
    this.#requests--;
    const page = await this.#fetcher.fetch(url, {
      signal: this.#deps.signal,
      delayMs: rules.delayMs,
      accepts: isReadableType,
      // An unchanged page is not sent again, and the links that were left out are needed.
      validators: last?.leftOut ? {} : await this.#pages.validatorsOf(url),
    });
    await this.#take(entry, page);
  }

  async #take(entry: FrontierEntry, page: FetchedPage): Promise<void> {
    if (page.kind === "no_content") return await this.#takeNothing(entry, page);
    this.#failures = 0;
    if (page.kind === "not_modified") return await this.#pages.keep(entry);
    if (page.kind === "redirect") return await this.#redirect(entry, page);
    const { workers, signal } = this.#deps;
    const { tenant } = this.#crawl.of;
    const read = await readContent(page, { url: entry.url, workers, tenant, signal });
    if ("reason" in read) return await this.#pages.skip(entry, read.reason);
    for (const link of read.links) this.#addLink(link, entry);
    if (read.noindex) return await this.#pages.skip(entry, "noindex");
    if (this.#isElsewhere(entry, read.canonical)) return await this.#pages.skip(entry, "canonical");
    await this.#pages.store(entry, read.content);
  }

  async #takeNothing(
    entry: FrontierEntry,
    { reason, status }: Extract<FetchedPage, { kind: "no_content" }>,
  ): Promise<void> {
    const isServerError = status === undefined || status >= 500 || status === 429;
    if (reason === "gone" || reason === "type" || reason === "too_large") {
      this.#failures = 0;
      return await this.#pages.skip(entry, reason, { status });
    }
    this.#failures = isServerError ? this.#failures + 1 : 0;
    await this.#pages.fail(entry, reason, { status });
  }

  async #redirect(
    entry: FrontierEntry,
    { location, status }: Extract<FetchedPage, { kind: "redirect" }>,
  ): Promise<void> {
    const target = this.#scope.resolve(location, entry.url);
    if (target === undefined) return await this.#pages.skip(entry, "other_host", { status });
    if (entry.hops >= MAX_HOPS) return await this.#pages.skip(entry, "redirects", { status });
    this.#add(target, { depth: entry.depth, hops: entry.hops + 1 });
    await this.#pages.skip(entry, "redirects", { status });
  }

  /** Whether a page's content belongs to another page of the site, which is then fetched. */
  #isElsewhere(entry: FrontierEntry, canonical: string | undefined): boolean {
    if (canonical === undefined || this.#crawl.source.kind === "page") return false;
    const target = this.#scope.resolve(canonical);
    if (target === undefined || target.href === entry.url.href || entry.hops >= MAX_HOPS) {
      return false;
    }
    if (this.#frontier.has(target)) {
      // Two pages that name each other: the one that comes second is stored.
      return this.#pages.stateOf(target) !== "skipped";
    }
    return this.#add(target, { depth: entry.depth, hops: entry.hops + 1 });
  }

  #addLink(link: string, { depth }: FrontierEntry): void {
    if (this.#crawl.source.kind !== "site" || depth >= WEB_SOURCE_BOUNDS.depth) return;
    const url = this.#scope.resolve(link);
    if (url !== undefined) this.#add(url, { depth: depth + 1 });
  }

  #add(url: URL, { depth, hops = 0 }: { depth: number; hops?: number }): boolean {
    return this.#frontier.add({ url, depth, hops });
  }
}
