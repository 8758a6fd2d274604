import { ApiError } from "../../schemas/api_error.ts";
import type { MediaType } from "../../schemas/media_types.ts";
import type { CrawlCounts, SkipReason } from "../../schemas/web_source.ts";
import type { DocumentStore } from "../../store/knowledge/document_store.ts";
import type { WebPageRecord } from "../../store/knowledge/web_source_record.ts";
import {
  type ClaimedCrawl,
  CrawlLostError,
  type WebSourceTaskQueue,
} from "../../store/knowledge/web_source_task_queue.ts";
import type { FrontierEntry } from "./crawl_frontier.ts";
import type { Validators } from "./page_fetcher.ts";

/** The content of a page, as its document has it. */
export interface PageContent extends Validators {
  title: string;
  mediaType: MediaType;
  bytes: Uint8Array<ArrayBuffer>;
}

interface CrawledPagesDeps {
  documents: Pick<DocumentStore, "create" | "replace" | "delete" | "get">;
  tasks: Pick<WebSourceTaskQueue, "savePage" | "commitPage" | "deletePage">;
  now: () => number;
  /** Called when a document is to be processed. */
  onDocument: () => void;
}

/** Neither the base nor the plan takes another page. */
export class BaseFullError extends Error {
  override name = "BaseFullError";
}

type Outcome = { status?: number | undefined };

/** What one crawl has found: keeps the documents of a source in step with its pages, and counts. */
export class CrawledPages {
  readonly counts: CrawlCounts = {
    ...{ added: 0, changed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 },
  };
  readonly #deps: CrawledPagesDeps;
  readonly #crawl: ClaimedCrawl;
  readonly #known: Map<string, WebPageRecord>;
  /** URLs of this crawl by the digest of their content. */
  readonly #byHash = new Map<string, string>();
  #stored: number;

  constructor(
    deps: CrawledPagesDeps,
    { crawl, known }: { crawl: ClaimedCrawl; known: Map<string, WebPageRecord> },
  ) {
    this.#deps = deps;
    this.#crawl = crawl;
    this.#known = known;
    this.#stored = known.values().filter(({ documentId }) => documentId !== undefined)
      .reduce((n) => n + 1, 0);
  }

  /** How many pages are documents. */
  get stored(): number {
    return this.#stored;
  }

  stateOf(url: URL): WebPageRecord["state"] | undefined {
    return this.#known.get(url.href)?.state;
  }

  isStored(url: URL): boolean {
    return this.#known.get(url.href)?.documentId !== undefined;
  }

  /** For a conditional request; empty if the document has to be made again. */
  async validatorsOf(url: URL): Promise<Validators> {
    const known = this.#known.get(url.href);
    if (known?.documentId === undefined) return {};
    const document = await this.#deps.documents.get({ ...this.#crawl.of, id: known.documentId });
    return document === undefined ? {} : { etag: known.etag, lastModified: known.lastModified };
  }

  /** The page is as it was. */
  async keep({ url, depth }: FrontierEntry): Promise<void> {
    const known = this.#known.get(url.href);
    if (known === undefined) return;
    if (known.hash !== undefined) this.#byHash.set(known.hash, url.href);
    this.counts.unchanged++;
    const { reason: _r, status: _s, ...rest } = known;
    await this.#save({ ...rest, ...this.#seen(depth), state: "stored" });
  }

  /** Creates or replaces the document of a page, unless it is as before or the same as another's. */
  async store({ url, depth }: FrontierEntry, content: PageContent): Promise<void> {
    const hash = await hashContent(content);
    const twin = this.#byHash.get(hash);
    if (twin !== undefined) return await this.skip({ url, depth }, "duplicate");
    this.#byHash.set(hash, url.href);
    const { title, etag, lastModified } = content;
    const page: WebPageRecord = {
      ...{ v: 1, url: url.href, ...this.#seen(depth), state: "stored", title, hash },
      ...etag !== undefined && { etag },
      ...lastModified !== undefined && { lastModified },
    };
    const known = this.#known.get(url.href);
    const documentId = known?.documentId;
    if (documentId === undefined) return await this.#create(page, content);
    if (known?.hash === hash && await this.#hasDocument(documentId)) {
      this.counts.unchanged++;
      return await this.#save({ ...page, documentId });
    }
    await this.#replace({ ...page, documentId }, content);
  }

  /** The page is no document, or none any more. */
  async skip(
    { url, depth }: Pick<FrontierEntry, "url" | "depth">,
    reason: SkipReason,
    { status }: Outcome = {},
  ): Promise<void> {
    if (this.isStored(url)) await this.#remove(url);
    else this.counts.skipped++;
    await this.#save({
      ...{ v: 1, url: url.href, ...this.#seen(depth), state: "skipped", reason },
      ...status !== undefined && { status },
    });
  }

  /** The page could not be read; what was read earlier stays. */
  async fail(
    { url, depth }: FrontierEntry,
    reason: SkipReason,
    { status }: Outcome = {},
  ): Promise<void> {
    this.counts.failed++;
    const { reason: _r, status: _s, ...known } = this.#known.get(url.href) ??
      { v: 1 as const, url: url.href };
    if ("hash" in known && known.hash !== undefined) this.#byHash.set(known.hash, url.href);
    await this.#save({
      ...{ ...known, ...this.#seen(depth), state: "failed", reason },
      ...status !== undefined && { status },
    });
  }

  #seen(depth: number) {
    return { crawl: this.#crawl.id, depth, checkedAt: this.#deps.now() };
  }

  async #create(page: WebPageRecord, { title, mediaType, bytes }: PageContent): Promise<void> {
    const { of } = this.#crawl;
    let stored = page;
    this.counts.added++;
    const created = await this.#deps.documents.create(of, {
      ...{ title, mediaType, bytes, page: { url: page.url, source: of.id } },
    }, {
      commit: (step, { id }) => {
        stored = { ...page, documentId: id };
        return this.#deps.tasks.commitPage(this.#crawl, {
          step,
          page: stored,
          counts: this.counts,
        });
      },
    }).catch((error) => this.#onFull(error));
    if ("rejected" in created) {
      this.counts.added--;
      if (created.rejected === "not_found") throw new CrawlLostError();
      throw new BaseFullError();
    }
    this.#known.set(page.url, stored);
    this.#stored++;
    this.#deps.onDocument();
  }

  /** A crash between the two steps is harmless: the next crawl replaces the document again. */
  async #replace(
    page: WebPageRecord & { documentId: string },
    content: PageContent,
  ): Promise<void> {
    const { title, mediaType, bytes } = content;
    const { of } = this.#crawl;
    const replaced = await this.#deps.documents.replace({ ...of, id: page.documentId }, {
      ...{ title, mediaType, bytes, page: { url: page.url, source: of.id } },
    }).catch((error) => this.#onFull(error));
    if ("document" in replaced) {
      this.counts.changed++;
      await this.#save(page);
      return this.#deps.onDocument();
    }
    if (replaced.rejected === "full") throw new BaseFullError();
    if (replaced.rejected === "busy") throw new CrawlLostError();
    // Somebody deleted it by hand.
    this.#stored--;
    const { documentId: _, ...rest } = page;
    await this.#create(rest, content);
  }

  async #remove(url: URL): Promise<void> {
    const { documentId } = this.#known.get(url.href)!;
    await this.#deps.documents.delete({ ...this.#crawl.of, id: documentId! }, { audit: false });
    this.#stored--;
    this.counts.removed++;
  }

  async #save(page: WebPageRecord): Promise<void> {
    await this.#deps.tasks.savePage(this.#crawl, { page, counts: this.counts });
    this.#known.set(page.url, page);
  }

  async #hasDocument(id: string): Promise<boolean> {
    return await this.#deps.documents.get({ ...this.#crawl.of, id }) !== undefined;
  }

  #onFull(error: unknown): { rejected: "full" } {
    if (error instanceof ApiError && error.code === "quota_exceeded") return { rejected: "full" };
    throw error;
  }
}

async function hashContent({ title, bytes }: PageContent): Promise<string> {
  const head = new TextEncoder().encode(`${title}\n`);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex();
}
