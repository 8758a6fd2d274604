import type { Block } from "../block.ts";
import { Archive } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";
import { mainPart, readRelationships } from "./relationships.ts";
import { TextCollector } from "./text_collector.ts";

/** Placeholders that repeat on every slide. */
const REPEATED = new Set(["sldNum", "dt", "ftr", "hdr"]);

/** The text of a presentation: each slide under its title and number, with its notes at the end. */
export function parsePptx(bytes: Uint8Array): Block[] {
  const archive = new Archive(bytes);
  const main = mainPart(archive, "ppt/presentation.xml");
  const { byId } = readRelationships(archive, main);
  const collector = new TextCollector();
  for (const [n, slide] of slidesOf(archive, main, byId).entries()) {
    const content = archive.read(slide);
    if (content === undefined) continue;
    const title = readShapes(content, { only: "title" });
    const label = `Slide ${n + 1}`;
    collector.addHeading(1, title === "" ? label : `${label}: ${title}`);
    readShapes(content, { only: "others", collector });
    for (const notes of readRelationships(archive, slide).byType.get("notesSlide") ?? []) {
      const text = archive.read(notes);
      if (text !== undefined) readShapes(text, { only: "others", collector });
    }
  }
  return collector.finish();
}

function slidesOf(
  archive: Archive,
  main: string,
  byId: ReadonlyMap<string, string>,
): string[] {
  const slides: string[] = [];
  const content = archive.read(main);
  if (content === undefined) return slides;
  readXml(content, {
    open(name, attributes) {
      const slide = name === "sldId" ? byId.get(attributes.id ?? "") : undefined;
      if (slide !== undefined) slides.push(slide);
    },
  });
  return slides;
}

/** Adds the texts of shapes to the collector; returns those of titles as one line. */
function readShapes(
  content: Uint8Array,
  { only, collector = new TextCollector() }: {
    only: "title" | "others";
    collector?: TextCollector;
  },
): string {
  let placeholder = "";
  let isText = false;
  let title = "";
  const isWanted = () => {
    if (REPEATED.has(placeholder)) return false;
    const isTitle = placeholder === "title" || placeholder === "ctrTitle";
    return isTitle === (only === "title");
  };
  readXml(content, {
    open(name, { type = "" }) {
      if (name === "sp" || name === "graphicFrame") placeholder = "";
      else if (name === "ph") placeholder = type;
      else if (name === "p") collector.openParagraph();
      else if (name === "br" || name === "tab") collector.addText(" ");
      else if (name === "t") isText = true;
      else if (name === "tbl" && only === "others") collector.openTable();
    },
    text(text) {
      if (!isText || !isWanted()) return;
      if (only === "title") title += text;
      else collector.addText(text);
    },
    close(name) {
      if (name === "t") isText = false;
      else if (name === "p") {
        if (only === "title") title += " ";
        collector.closeParagraph({ type: "paragraph" });
      } else if (only === "title") return;
      else if (name === "tc") collector.closeCell();
      else if (name === "tr") collector.closeRow();
      else if (name === "tbl") collector.closeTable();
    },
  });
  return title.replace(/\s+/g, " ").trim();
}
