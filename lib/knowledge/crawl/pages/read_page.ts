import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { KNOWLEDGE_BOUNDS } from "../../../schemas/limits.ts";
import { cleanText, toSingleLine } from "../../ingest/decode_text.ts";
import { decodeHtml } from "../../ingest/parse_html.ts";
import { scanPage } from "./scan_page.ts";

/** Larger pages are read whole: the extraction compares elements with each other. */
const MAX_EXTRACTED = { length: 2 * 1_048_576, elements: 20_000, depth: 200 };
/** A shorter result means that the page has no article: a list of offers, say. */
const MIN_TEXT_LENGTH = 200;

/** A page of a website, with the HTML that becomes its document. */
export interface ReadPage {
  title: string;
  links: string[];
  canonical?: string | undefined;
  noindex: boolean;
  nofollow: boolean;
  /** UTF-8. */
  html: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a page and extracts its main content. The author of the page decides how long that takes, so run
 * it only where time and memory are bounded; without `extract`, in linear time. Throws
 * `DocumentParseError`.
 */
export function readPage(
  bytes: Uint8Array,
  { url, charset, extract }: { url: string; charset?: string | undefined; extract: boolean },
): ReadPage {
  const html = decodeHtml(bytes, charset);
  const { elements, depth, canonical, ...facts } = scanPage(html, url);
  const isSmall = html.length <= MAX_EXTRACTED.length && elements <= MAX_EXTRACTED.elements &&
    depth <= MAX_EXTRACTED.depth;
  const content = extract && isSmall ? extractContent(html) : undefined;
  const title = cutTitle(content?.title || facts.title);
  const page = content === undefined ? html : toPage(title, content.html);
  return {
    ...facts,
    ...canonical !== undefined && { canonical },
    title,
    html: new TextEncoder().encode(page),
  };
}

/** The main content without navigation; `undefined` if there is none. */
function extractContent(html: string): { title: string; html: string } | undefined {
  try {
    const { document } = parseHTML(html);
    const article = new Readability(document, { maxElemsToParse: MAX_EXTRACTED.elements }).parse();
    const { title, content, textContent } = article ?? {};
    if (!content || toSingleLine(textContent ?? "").length < MIN_TEXT_LENGTH) return undefined;
    return { title: title ?? "", html: content };
  } catch {
    // The whole page is parsed instead.
    return undefined;
  }
}

function toPage(title: string, content: string): string {
  const text = title.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const head = `<!doctype html><html><head><meta charset="utf-8"><title>${text}</title></head>`;
  return `${head}<body><h1>${text}</h1>${content}</body></html>`;
}

/** A long title is truncated, because its author did not choose it for this. */
function cutTitle(title: string): string {
  const line = toSingleLine(cleanText(title));
  return Array.from(line).slice(0, KNOWLEDGE_BOUNDS.titleLength / 2).join("");
}
