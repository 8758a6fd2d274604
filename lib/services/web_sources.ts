import type { CrawlJobs } from "../knowledge/crawl/crawl_jobs.ts";
import { normalizeUrl } from "../knowledge/crawl/crawl_scope.ts";
import { ApiError, parseOrThrow, validationError } from "../schemas/api_error.ts";
import { WEB_SOURCE_BOUNDS } from "../schemas/limits.ts";
import {
  type WebPage,
  type WebSource,
  webSourceBodySchema,
  webSourcePatchSchema,
  type WebSourceReport,
} from "../schemas/web_source.ts";
import type { WebSourceName } from "../store/keys/keys.ts";
import type { DocumentStore } from "../store/knowledge/document_store.ts";
import type { KnowledgeBaseStore } from "../store/knowledge/knowledge_base_store.ts";
import type { WebSourceStore } from "../store/knowledge/web_source_store.ts";
import type { PageRequest } from "../store/values/page.ts";
import type { CommitStep } from "../store/values/record.ts";
import type { CursorSigner } from "./cursor_signer.ts";

const PAGE_LENGTH = 100;

interface WebSourcesDeps {
  bases: Pick<KnowledgeBaseStore, "get">;
  documents: Pick<DocumentStore, "delete">;
  sources: WebSourceStore;
  crawls: Pick<CrawlJobs, "wake">;
  cursors: CursorSigner;
}

type BaseName = { tenant: string; base: string };

/** Websites whose pages are documents of knowledge bases. Methods throw `ApiError`. */
export class WebSources {
  readonly #deps: WebSourcesDeps;

  constructor(deps: WebSourcesDeps) {
    this.#deps = deps;
  }

  /** Stores a source and starts its first crawl; 400 if its base has too many. */
  async create(
    base: BaseName,
    body: unknown,
    options: { commit?: CommitStep<WebSource> | undefined } = {},
  ): Promise<WebSource> {
    const { sources, crawls } = this.#deps;
    const parsed = parseOrThrow(webSourceBodySchema, body);
    const url = normalizeUrl(new URL(parsed.url)).href;
    if (url.length > WEB_SOURCE_BOUNDS.urlLength) {
      throw validationError([{ path: "url", code: "too_big", message: "is too long" }]);
    }
    const created = await sources.create(base, { ...parsed, url }, options);
    if ("source" in created) {
      crawls.wake();
      return created.source;
    }
    if (created.rejected === "not_found") return noBase();
    const message = `a knowledge base has at most ${WEB_SOURCE_BOUNDS.sourcesPerBase} websites`;
    throw validationError([{ path: "", code: "too_many", message }]);
  }

  /** Oldest first. */
  async list(base: BaseName): Promise<WebSource[]> {
    if (await this.#deps.bases.get(base.tenant, base.base) === undefined) noBase();
    return await this.#deps.sources.list(base);
  }

  async get(of: WebSourceName): Promise<WebSource> {
    return await this.#deps.sources.find(of) ?? noSource();
  }

  /** The source with one page of its pages. 400 for a cursor of another list. */
  async report(of: WebSourceName, page: PageRequest): Promise<WebSourceReport> {
    const source = await this.get(of);
    const { data, nextCursor } = await this.#deps.cursors.page<WebPage>(page, {
      list: `web_pages ${of.tenant} ${of.base} ${of.id}`,
      load: (opened) => this.#deps.sources.pages(of, opened),
    });
    return { ...source, pages: data, ...nextCursor !== undefined && { nextCursor } };
  }

  async patch(of: WebSourceName, patch: unknown): Promise<WebSource> {
    const change = parseOrThrow(webSourcePatchSchema, patch);
    return await this.#deps.sources.update(of, change) ?? noSource();
  }

  /** Starts a crawl, unless one is running or waiting. */
  async refresh(of: WebSourceName): Promise<WebSource> {
    if (!await this.#deps.sources.refresh(of)) noSource();
    this.#deps.crawls.wake();
    return await this.get(of);
  }

  /** Deletes a source, and its documents unless they are to be kept. A crawl in progress stops. */
  async delete(of: WebSourceName, { keepPages = false } = {}): Promise<void> {
    const { sources } = this.#deps;
    await this.get(of);
    // First, so that no crawl adds more.
    await sources.stop(of);
    if (!keepPages) await this.#deleteDocuments(of);
    if (!await sources.delete(of)) noSource();
  }

  async #deleteDocuments(of: WebSourceName): Promise<void> {
    const { sources, documents } = this.#deps;
    let cursor: string | undefined;
    do {
      const page: { data: WebPage[]; nextCursor?: string } = await sources.pages(of, {
        ...{ limit: PAGE_LENGTH, cursor },
      });
      for (const { documentId } of page.data) {
        if (documentId === undefined) continue;
        await documents.delete({ ...of, id: documentId }, { audit: false });
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
}

function noBase(): never {
  throw new ApiError("not_found", "there is no such knowledge base");
}

function noSource(): never {
  throw new ApiError("not_found", "there is no such website source");
}
