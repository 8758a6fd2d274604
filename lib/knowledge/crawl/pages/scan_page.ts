import { Parser } from "htmlparser2";
import { toSingleLine } from "../../ingest/decode_text.ts";
import { DocumentParseError } from "../../ingest/document_parse_error.ts";
import { readDirectives } from "../read_directives.ts";
import { CRAWLER_NAME } from "../robots_rules.ts";
import { MAX_LINK_LENGTH, MAX_LINKS, MAX_LINKS_LENGTH } from "./page_limits.ts";

/** Deeper pages are hostile: browsers stop at 512. */
const MAX_DEPTH = 10_000;
const MAX_TITLE_LENGTH = 10_000;

/** What a page says about itself. */
export interface PageFacts {
  title: string;
  /** Absolute, in the order of the page. */
  links: string[];
  canonical: string | undefined;
  noindex: boolean;
  nofollow: boolean;
  elements: number;
  depth: number;
}

/** Reads links and directives. Throws `DocumentParseError` for elements that are nested too deeply. */
export function scanPage(html: string, url: string): PageFacts {
  const facts: PageFacts = {
    ...{ title: "", links: [], canonical: undefined, noindex: false, nofollow: false },
    ...{ elements: 0, depth: 0 },
  };
  const links = new Set<string>();
  let base = url;
  let hasBase = false;
  let depth = 0;
  let isInTitle = false;
  let room = MAX_LINKS_LENGTH;
  const resolve = (link: string | undefined): string | undefined => {
    if (link === undefined || link.length > MAX_LINK_LENGTH) return undefined;
    return URL.parse(link.trim(), base)?.href;
  };
  const addLink = (link: string | undefined) => {
    const href = links.size < MAX_LINKS ? resolve(link) : undefined;
    if (href === undefined || href.length > Math.min(MAX_LINK_LENGTH, room)) return;
    if (!links.has(href)) room -= href.length;
    links.add(href);
  };
  const readElement = (name: string, attributes: Record<string, string>) => {
    if (name === "base" && !hasBase) {
      hasBase = true;
      base = resolve(attributes.href) ?? base;
    } else if (name === "a" || name === "area") {
      if (!hasToken(attributes.rel, "nofollow")) addLink(attributes.href);
    } else if (name === "link" && hasToken(attributes.rel, "canonical")) {
      const href = resolve(attributes.href);
      if (href !== undefined && href.length <= MAX_LINK_LENGTH) facts.canonical ??= href;
    } else if (name === "meta") readMeta(attributes);
  };
  const readMeta = (attributes: Record<string, string>) => {
    const { name = "", content = "", "http-equiv": equiv = "" } = attributes;
    if (/^robots$/i.test(name) || name.toLowerCase() === CRAWLER_NAME.toLowerCase()) {
      const directives = readDirectives(content);
      facts.noindex ||= directives.noindex;
      facts.nofollow ||= directives.nofollow;
    }
    if (/^refresh$/i.test(equiv)) addLink(refreshTarget(content));
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      facts.elements++;
      if (++depth > MAX_DEPTH) {
        throw new DocumentParseError("too_complex", "its elements are nested too deeply");
      }
      facts.depth = Math.max(facts.depth, depth);
      isInTitle = name === "title" && facts.title === "";
      readElement(name, attributes);
    },
    ontext(text) {
      if (isInTitle && facts.title.length < MAX_TITLE_LENGTH) facts.title += text;
    },
    onclosetag() {
      depth--;
      isInTitle = false;
    },
  });
  parser.write(html);
  parser.end();
  facts.title = toSingleLine(facts.title);
  facts.links = [...links];
  return facts;
}

function hasToken(value: string | undefined, token: string): boolean {
  return value !== undefined && value.toLowerCase().split(/\s+/).includes(token);
}

/** The address in `5; url='/next'`. */
function refreshTarget(content: string): string | undefined {
  const semicolon = content.search(/[;,]/);
  if (semicolon < 0) return undefined;
  const rest = content.slice(semicolon + 1).trim();
  const equals = rest.indexOf("=");
  if (equals < 0 || rest.slice(0, equals).trim().toLowerCase() !== "url") return undefined;
  return rest.slice(equals + 1).trim().replace(/^["']|["']$/g, "");
}
