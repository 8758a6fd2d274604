import type { Block } from "../block.ts";
import { Archive, type ArchiveLimits } from "./open_archive.ts";
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
export function parseDocx(bytes: Uint8Array, limits?: ArchiveLimits): Block[] {
  const archive = new Archive(bytes, limits);
  const main = mainPart(archive, "word/document.xml");
  const { byType } = readRelationships(archive, main);
  const styles = readStyles(archive, byType.get("styles")?.[0]);
  const collector = new TextCollector();
  const parts = [main, ...byType.get("footnotes") ?? [], ...byType.get("endnotes") ?? []];
  for (const part of parts) {
    const content = archive.read(part);
    if (content !== undefined) readBody(content, { styles, collector });
  }
  return collector.finish();
}

function readBody(
  content: Uint8Array,
  { styles, collector }: { styles: ReadonlyMap<string, ParagraphKind>; collector: TextCollector },
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
          return setKind(kinds, styles.get(val));
        case "outlineLvl":
          if (Number(val) < OUTLINE_LEVELS) {
            setKind(kinds, { type: "heading", level: Number(val) + 1 });
          }
          return;
        case "ilvl":
          if (kinds[last]?.type !== "heading") {
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

/** Of the innermost open paragraph. */
function setKind(kinds: ParagraphKind[], kind: ParagraphKind | undefined): void {
  if (kind !== undefined && kinds.length > 0) kinds[kinds.length - 1] = kind;
}

interface Style {
  basedOn?: string;
  kind?: ParagraphKind;
}

/** What paragraphs of a style are, by its id. The names of styles are English in every language. */
function readStyles(archive: Archive, part: string | undefined): Map<string, ParagraphKind> {
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
          const kind = kindOfStyle(val);
          if (kind !== undefined) style.kind = kind;
        } else if (name === "outlineLvl" && Number(val) < OUTLINE_LEVELS) {
          style.kind ??= { type: "heading", level: Number(val) + 1 };
        }
      },
      close(name) {
        if (name === "style") style = undefined;
      },
    });
  }
  const kinds = new Map<string, ParagraphKind>();
  for (const id of styles.keys()) {
    const kind = inheritedKind(styles, id);
    if (kind !== undefined) kinds.set(id, kind);
  }
  return kinds;
}

function kindOfStyle(name: string): ParagraphKind | undefined {
  if (/^title$/i.test(name)) return { type: "heading", level: 1 };
  const [, level] = /^heading ([1-9])$/i.exec(name) ?? [];
  if (level !== undefined) return { type: "heading", level: Number(level) };
  const [, list, depth = "1"] = /^list (bullet|number)(?: ([2-5]))?$/i.exec(name) ?? [];
  return list === undefined ? undefined : { type: "item", depth: Number(depth) - 1 };
}

/** Its own, or that of a style that it is based on; styles may form a circle. */
function inheritedKind(styles: ReadonlyMap<string, Style>, id: string): ParagraphKind | undefined {
  let style = styles.get(id);
  for (let step = 0; style !== undefined && step < 10; step++) {
    if (style.kind !== undefined) return style.kind;
    style = styles.get(style.basedOn ?? "");
  }
  return undefined;
}
