import type { Block } from "../block.ts";
import { Archive } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";
import { mainPart, readRelationships } from "./relationships.ts";
import { type ParagraphKind, TextCollector } from "./text_collector.ts";

/** Deleted text, text that was moved away, field codes, and copies for older programs. */
const SKIPPED = new Set(["del", "moveFrom", "delText", "instrText", "Fallback", "rPr"]);
const OUTLINE_LEVELS = 9;

/**
 * The text of a Word document: paragraphs, headings, lists, tables, text boxes, and after them its foot-
 * and endnotes. Headers and footers are left out, because they repeat on every page.
 */
export function parseDocx(bytes: Uint8Array): Block[] {
  const archive = new Archive(bytes);
  const main = mainPart(archive, "word/document.xml");
  const { byType } = readRelationships(archive, main);
  const headings = readHeadingStyles(archive, byType.get("styles")?.[0]);
  const collector = new TextCollector();
  const parts = [main, ...byType.get("footnotes") ?? [], ...byType.get("endnotes") ?? []];
  for (const part of parts) {
    const content = archive.read(part);
    if (content !== undefined) readBody(content, { headings, collector });
  }
  return collector.finish();
}

function readBody(
  content: Uint8Array,
  { headings, collector }: { headings: ReadonlyMap<string, number>; collector: TextCollector },
): void {
  const kinds: ParagraphKind[] = [];
  let skipped = 0;
  let isText = false;
  readXml(content, {
    open(name, { val = "", type }) {
      if (skipped > 0 || SKIPPED.has(name)) return void skipped++;
      const last = kinds.length - 1;
      switch (name) {
        case "p":
          kinds.push({ type: "paragraph" });
          return collector.openParagraph();
        case "pStyle":
          return setLevel(kinds, headings.get(val));
        case "outlineLvl":
          return setLevel(kinds, Number(val) < OUTLINE_LEVELS ? Number(val) + 1 : undefined);
        case "ilvl":
          if (kinds[last]?.type === "paragraph") {
            kinds[last] = { type: "item", depth: Number(val) || 0 };
          }
          return;
        case "t":
          isText = true;
          return;
        case "tab":
          return collector.addText(" ");
        case "br":
        case "cr":
          return collector.addText(type === "page" ? "" : "\n");
        case "noBreakHyphen":
          return collector.addText("-");
        case "tbl":
          return collector.openTable();
      }
    },
    text(text) {
      if (isText && skipped === 0) collector.addText(text);
    },
    close(name) {
      if (skipped > 0) return void skipped--;
      switch (name) {
        case "t":
          isText = false;
          return;
        case "p":
          return collector.closeParagraph(kinds.pop() ?? { type: "paragraph" });
        case "tc":
          return collector.closeCell();
        case "tr":
          return collector.closeRow();
        case "tbl":
          return collector.closeTable();
      }
    },
  });
}

function setLevel(kinds: ParagraphKind[], level: number | undefined): void {
  if (level !== undefined && kinds.length > 0) kinds[kinds.length - 1] = { type: "heading", level };
}

interface Style {
  basedOn?: string;
  level?: number;
}

/** The heading levels of styles by their ids. Their names are English in every language. */
function readHeadingStyles(archive: Archive, part: string | undefined): Map<string, number> {
  const content = part === undefined ? undefined : archive.read(part);
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  if (content !== undefined) {
    readXml(content, {
      open(name, { styleId = "", val = "" }) {
        if (name === "style") styles.set(styleId, style = {});
        else if (style === undefined) return;
        else if (name === "basedOn") style.basedOn = val;
        else if (name === "name") {
          const level = /^title$/i.test(val) ? 1 : /^heading ([1-9])$/i.exec(val)?.[1];
          if (level !== undefined) style.level = Number(level);
        } else if (name === "outlineLvl" && Number(val) < OUTLINE_LEVELS) {
          style.level ??= Number(val) + 1;
        }
      },
      close(name) {
        if (name === "style") style = undefined;
      },
    });
  }
  const levels = new Map<string, number>();
  for (const id of styles.keys()) {
    const level = levelOf(styles, id);
    if (level !== undefined) levels.set(id, level);
  }
  return levels;
}

/** Its own, or that of a style that it is based on; styles may form a circle. */
function levelOf(styles: ReadonlyMap<string, Style>, id: string): number | undefined {
  let style = styles.get(id);
  for (let step = 0; style !== undefined && step < 10; step++) {
    if (style.level !== undefined) return style.level;
    style = styles.get(style.basedOn ?? "");
  }
  return undefined;
}
