import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import { DOCUMENT_TYPES, UNKNOWN_TYPE } from "../../schemas/media_types.ts";
import type { SkipReason } from "../../schemas/web_source.ts";
import { cleanText, decodeText, toSingleLine } from "../ingest/decode_text.ts";
import { detectMediaType } from "../ingest/detect_media_type.ts";
import { DocumentParseError } from "../ingest/document_parse_error.ts";
import type { JobResult } from "../ingest/worker/job_messages.ts";
import type { WorkerPool } from "../ingest/worker/worker_pool.ts";
import type { PageContent } from "./crawled_pages.ts";
import type { FetchedPage } from "./page_fetcher.ts";
import { readDirectives } from "./read_directives.ts";
import { CRAWLER_NAME } from "./robots_rules.ts";

const HTML_TYPES = ["text/html", "application/xhtml+xml"];
/** Longer headers are cut: they come from the site. */
const MAX_DIRECTIVES_LENGTH = 2_000;

/** A page's content, and what follows from it for the crawl. */
export type ReadContent =
  | { content: PageContent; links: string[]; canonical?: string | undefined; noindex: boolean }
  | { reason: SkipReason };

interface ReadContentOptions {
  url: URL;
  workers: Pick<WorkerPool, "run">;
  tenant: string;
  signal: AbortSignal;
}

type Content = Extract<FetchedPage, { kind: "content" }>;

/** Whether a response of this type can be a document; one without a type is looked at. */
export function isReadableType(type: string): boolean {
  return type === "" || HTML_TYPES.includes(type) ||
    DOCUMENT_TYPES.some((readable) => readable === type);
}

/** Reads a response. Throws the signal's reason. */
export async function readContent(
  page: Content,
  options: ReadContentOptions,
): Promise<ReadContent> {
  const { type, charset, etag, lastModified } = page;
  const directives = headerDirectives(page.robots);
  const detected = detectMediaType(page.bytes, {
    mediaType: type || undefined,
    fileName: options.url.pathname,
  });
  if (detected === UNKNOWN_TYPE) return { reason: "type" };
  if (detected !== "text/html") {
    // The encoding that the server names is not known any more when the document is processed.
    const bytes = detected.startsWith("text/")
      ? new TextEncoder().encode(decodeText(page.bytes, charset))
      : page.bytes;
    const title = titleFromUrl(options.url);
    const content = { title, mediaType: detected, bytes, etag, lastModified };
    return bytes.length === 0
      ? { reason: "unreadable" }
      : { content, links: [], noindex: directives.noindex };
  }
  const read = await readHtml(page, options);
  if (read === undefined) return { reason: "unreadable" };
  return {
    content: {
      ...{ title: read.title || titleFromUrl(options.url), mediaType: "text/html" },
      ...{ bytes: read.html, etag, lastModified },
    },
    links: read.nofollow || directives.nofollow ? [] : read.links,
    canonical: read.canonical,
    noindex: read.noindex || directives.noindex,
  };
}

async function readHtml(
  { bytes, charset }: Content,
  { url, workers, tenant, signal }: ReadContentOptions,
): Promise<Extract<JobResult, { kind: "page" }> | undefined> {
  try {
    const job = {
      ...{ kind: "page", url: url.href, bytes } as const,
      ...charset !== undefined && { charset },
    };
    const result = await workers.run(job, { tenant, signal });
    return result.kind === "page" && result.html.length > 0 ? result : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DocumentParseError) return undefined;
    throw error;
  }
}

/** `X-Robots-Tag` applies to all crawlers, or to the one that it names. */
function headerDirectives(header: string): { noindex: boolean; nofollow: boolean } {
  let isOurs = true;
  const words: string[] = [];
  for (const part of header.slice(0, MAX_DIRECTIVES_LENGTH).split(",")) {
    const match = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(part);
    const named = match !== null && !/^(?:max-|unavailable_after)/i.test(match[1]!);
    if (named) isOurs = match[1]!.toLowerCase() === CRAWLER_NAME.toLowerCase();
    if (isOurs) words.push(named ? match[2]! : part);
  }
  return readDirectives(words.join(","));
}

/** The last part of the path, or the host. */
function titleFromUrl(url: URL): string {
  const name = url.pathname.split("/").findLast((part) => part !== "") ?? url.host;
  const line = toSingleLine(cleanText(decodeName(name))) || url.host;
  return Array.from(line).slice(0, KNOWLEDGE_BOUNDS.titleLength / 2).join("");
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
