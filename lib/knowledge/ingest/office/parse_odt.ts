import type { Block } from "../block.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { Archive, type ArchiveLimits } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";
import { type ParagraphKind, TextCollector } from "./text_collector.ts";

/** Deleted text, comments, forms, and the numbers of notes. */
const SKIPPED = new Set([
  ...["tracked-changes", "annotation", "forms", "automatic-styles"],
  ...["sequence-decls", "note-citation"],
]);
const MAX_SPACES = 100;

/** The text of an OpenDocument text: paragraphs, headings, lists, tables, text boxes and notes. */
export function parseOdt(bytes: Uint8Array, limits?: ArchiveLimits): Block[] {
  const archive = new Archive(bytes, limits);
  const content = archive.read("content.xml");
  if (content === undefined) throw new DocumentParseError("damaged", "it has no content");
  if (isEncrypted(archive)) {
    throw new DocumentParseError("encrypted", "it is protected with a password");
  }
  const collector = new TextCollector();
  const kinds: ParagraphKind[] = [];
  let lists = 0;
  let skipped = 0;
  readXml(content, {
    open(name, attributes) {
      if (skipped > 0 || SKIPPED.has(name)) return void skipped++;
      switch (name) {
        case "h":
          kinds.push({ type: "heading", level: Number(attributes["outline-level"]) || 1 });
          return collector.openParagraph();
        case "p":
          kinds.push(lists > 0 ? { type: "item", depth: lists - 1 } : { type: "paragraph" });
          return collector.openParagraph();
        case "list":
          lists++;
          return;
        case "s":
          return collector.addText(" ".repeat(Math.min(Number(attributes.c) || 1, MAX_SPACES)));
        case "tab":
          return collector.addText(" ");
        case "line-break":
          return collector.addText("\n");
        case "table":
          return collector.openTable();
      }
    },
    text(text) {
      if (skipped === 0 && collector.isInParagraph) collector.addText(text.replace(/\s+/g, " "));
    },
    close(name) {
      if (skipped > 0) return void skipped--;
      switch (name) {
        case "h":
        case "p":
          return collector.closeParagraph(kinds.pop() ?? { type: "paragraph" });
        case "list":
          lists--;
          return;
        case "table-cell":
          return collector.closeCell();
        case "table-row":
          return collector.closeRow();
        case "table":
          return collector.closeTable();
      }
    },
  });
  return collector.finish();
}

function isEncrypted(archive: Archive): boolean {
  const manifest = archive.read("META-INF/manifest.xml");
  let encrypted = false;
  if (manifest !== undefined) {
    readXml(manifest, {
      open(name) {
        if (name === "encryption-data") encrypted = true;
      },
    });
  }
  return encrypted;
}
