import type { Logger } from "../../platform/log.ts";
import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { SearchIndexing } from "../../store/search/search_indexing.ts";

/** How often new messages are indexed; a search indexes them at once. */
const INDEX_EVERY_MS = 60_000;
/** Steps before a search, so that a backlog does not delay it: 100 runs. */
const MAX_STEPS_OF_SEARCH = 2;

export interface SearchIndexerDeps {
  runtime: Runtime;
  log: Logger;
  indexing: Pick<SearchIndexing, "step">;
}

/** Indexes what was said, in the background; a process without chats and searches does nothing. */
export class SearchIndexer {
  readonly #deps: SearchIndexerDeps;
  readonly #waiting = new Set<string>();
  readonly #task: PeriodicTask;
  #isClosed = false;

  constructor(deps: SearchIndexerDeps) {
    this.#deps = deps;
    const work = () => this.indexAll();
    this.#task = new PeriodicTask(deps.runtime, { everyMs: INDEX_EVERY_MS, work });
  }

  /** A message of the tenant was stored. */
  note(tenant: string): void {
    if (this.#isClosed) return;
    this.#waiting.add(tenant);
    this.#task.start();
  }

  /** Indexes the latest messages before a search, and the rest of a backlog after it. */
  async prepareSearch(tenant: string): Promise<void> {
    for (let n = 0; n < MAX_STEPS_OF_SEARCH; n++) {
      if (!await this.#deps.indexing.step(tenant)) return;
    }
    this.note(tenant);
  }

  /** Resolves when the messages of all tenants that chatted are indexed. */
  async indexAll(): Promise<void> {
    for (const tenant of this.#waiting) {
      this.#waiting.delete(tenant);
      await this.#indexTenant(tenant);
    }
    if (this.#waiting.size === 0) void this.#task.stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#task.stop();
  }

  async #indexTenant(tenant: string): Promise<void> {
    const { indexing, log } = this.#deps;
    try {
      while (!this.#isClosed && await indexing.step(tenant));
    } catch (error) {
      log.error("cannot index conversations for search", { tenant, error });
    }
  }
}
