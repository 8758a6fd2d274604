import type { Egress } from "../../egress/egress.ts";
import type { Logger } from "../../platform/log.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { DocumentStore } from "../../store/knowledge/document_store.ts";
import {
  type ClaimedCrawl,
  CrawlLostError,
  type WebSourceTaskQueue,
} from "../../store/knowledge/web_source_task_queue.ts";
import type { WorkerPool } from "../ingest/worker/worker_pool.ts";
import { CrawledPages } from "./crawled_pages.ts";
import { HostPace } from "./host_pace.ts";
import { SiteCrawl } from "./site_crawl.ts";

const POLL_MS = 60_000;
/** At the same time, in one process. */
const CONCURRENCY = 2;

interface CrawlJobsDeps {
  tasks: WebSourceTaskQueue;
  documents: DocumentStore;
  egress: Pick<Egress, "open">;
  workers: Pick<WorkerPool, "run">;
  runtime: Runtime;
  log: Logger;
  /** Called when a document is to be processed. */
  onDocument: () => void;
}

/**
 * Crawls sources when they are due. Each is crawled by one process at a time, which holds a claim on it; if
 * the process dies, another one begins the crawl again.
 */
export class CrawlJobs {
  readonly #deps: CrawlJobsDeps;
  readonly #pace: HostPace;
  readonly #polling: PeriodicTask;
  readonly #working = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** Whether a crawl may have become due since the last look. */
  #pending = false;

  constructor(deps: CrawlJobsDeps) {
    this.#deps = deps;
    this.#pace = new HostPace(deps.runtime);
    const work = () => Promise.resolve(this.wake());
    this.#polling = new PeriodicTask(deps.runtime, { everyMs: POLL_MS, work });
  }

  /** Looks for crawls that are due once a minute, until closed. */
  start(): void {
    this.#polling.start();
  }

  /** Starts crawls that are due if there is capacity. */
  wake(): void {
    this.#pending = true;
    if (this.#closing.signal.aborted || this.#working.size >= CONCURRENCY) return;
    const work: Promise<void> = this.#work().finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  async whenIdle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Aborts; crawls in progress begin again elsewhere, or when the service does. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling.stop();
    await this.whenIdle();
  }

  async #work(): Promise<void> {
    const { tasks, log } = this.#deps;
    try {
      while (this.#pending && !this.#closing.signal.aborted) {
        this.#pending = false;
        for (let crawl = await tasks.take(); crawl !== undefined; crawl = await tasks.take()) {
          // There may be more for a concurrent crawl.
          this.wake();
          await this.#crawl(crawl);
          if (this.#closing.signal.aborted) return;
        }
      }
    } catch (error) {
      log.error("could not crawl websites", { error });
    }
  }

  /** Never throws, so that other sources are crawled all the same. */
  async #crawl(crawl: ClaimedCrawl): Promise<void> {
    const { tasks, log } = this.#deps;
    const { of: { tenant, base, id } } = crawl;
    const facts = { tenant, knowledgeBaseId: base, sourceId: id };
    try {
      const result = await this.#run(crawl);
      await tasks.finish(crawl, result);
      log.info("website crawled", { ...facts, ...result.counts, error: result.error });
    } catch (error) {
      if (error instanceof CrawlLostError) return;
      if (this.#closing.signal.aborted) return await this.#release(crawl);
      log.error("could not crawl a website", { ...facts, error });
      // Its claim expires, and a process tries again.
    }
  }

  async #release(crawl: ClaimedCrawl): Promise<void> {
    await this.#deps.tasks.release(crawl).catch((error) => {
      this.#deps.log.error("could not release a crawl", { id: crawl.of.id, error });
    });
  }

  async #run(crawl: ClaimedCrawl) {
    const { tasks, documents, runtime, onDocument } = this.#deps;
    const known = await tasks.pages(crawl.of);
    const now = () => runtime.now();
    const pages = new CrawledPages({ documents, tasks, now, onDocument }, { crawl, known });
    const site = new SiteCrawl({
      ...{ ...this.#deps, pace: this.#pace, signal: this.#closing.signal },
      onProgress: () => tasks.renew(crawl, pages.counts),
    }, { crawl, known, pages });
    const error = await site.run();
    return { counts: pages.counts, error, leftOut: site.leftOut };
  }
}
