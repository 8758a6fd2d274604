import { Parser } from "htmlparser2";
import { decodeText } from "../../ingest/decode_text.ts";
import { MAX_LINK_LENGTH, MAX_LINKS_LENGTH, MAX_SITEMAP_URLS } from "./page_limits.ts";

const MAX_DEPTH = 100;

export interface Sitemap {
  pages: string[];
  /** Of an index. */
  sitemaps: string[];
}

/** Reads a sitemap, an index of sitemaps, or a list of URLs, one a line. Source: sitemaps.org. */
export function readSitemap(bytes: Uint8Array): Sitemap {
  const text = decodeText(bytes);
  return /^\s*</.test(text.slice(0, 1_000)) ? readXml(text) : readLines(text);
}

function readXml(text: string): Sitemap {
  const found: Sitemap = { pages: [], sitemaps: [] };
  const path: string[] = [];
  let room = MAX_LINKS_LENGTH;
  let url = "";
  const parser = new Parser({
    onopentag(name) {
      path.push(name.toLowerCase());
      url = "";
      if (path.length > MAX_DEPTH || room <= 0) parser.pause();
    },
    ontext(part) {
      if (path.at(-1) === "loc" && url.length <= MAX_LINK_LENGTH) url += part;
    },
    onclosetag() {
      const name = path.pop();
      if (name !== "loc" || url.trim() === "" || url.length > MAX_LINK_LENGTH) return;
      room -= url.length;
      const list = path.at(-1) === "url"
        ? found.pages
        : path.at(-1) === "sitemap"
        ? found.sitemaps
        : undefined;
      if (list !== undefined && list.length < MAX_SITEMAP_URLS) list.push(url.trim());
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.write(text);
  return found;
}

function readLines(text: string): Sitemap {
  const pages: string[] = [];
  let room = MAX_LINKS_LENGTH;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const url = line.trim();
    if (pages.length >= MAX_SITEMAP_URLS || (room -= url.length) < 0) break;
    if (/^https?:\/\//i.test(url) && url.length <= MAX_LINK_LENGTH) pages.push(url);
  }
  return { pages, sitemaps: [] };
}
