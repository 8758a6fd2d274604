/** Office documents and books, made of their parts. */
import { strToU8, type Zippable, zipSync } from "fflate";

type Bytes = Uint8Array<ArrayBuffer>;
export type Parts = Record<string, string | Uint8Array>;

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export function archive(parts: Parts, level: 0 | 6 = 6): Bytes {
  const entries: Zippable = {};
  for (const [name, content] of Object.entries(parts)) {
    entries[name] = [typeof content === "string" ? strToU8(content) : content, { level }];
  }
  return zipSync(entries) as Bytes;
}

/** Of a part, by the ids of its relationships: the last word of the type, and the target. */
export function relationships(targets: Record<string, [type: string, target: string]>): string {
  const all = Object.entries(targets).map(([id, [type, target]]) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
  );
  return `<Relationships>${all.join("")}</Relationships>`;
}

/** `body` is the content of `w:body`. */
export function docx(body: string, more: Parts = {}): Bytes {
  return archive({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships({ a: ["officeDocument", "word/document.xml"] }),
    "word/_rels/document.xml.rels": relationships({
      s: ["styles", "styles.xml"],
      f: ["footnotes", "footnotes.xml"],
    }),
    "word/styles.xml": `<w:styles><w:style w:styleId="U1"><w:name w:val="heading 1"/></w:style>` +
      `<w:style w:styleId="Mine"><w:basedOn w:val="U1"/></w:style>` +
      `<w:style w:styleId="LB"><w:name w:val="List Bullet 2"/></w:style></w:styles>`,
    "word/document.xml": `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...more,
  });
}

/** A paragraph of Word, with properties. */
export function wordParagraph(text: string, properties = ""): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** Sheets by their names: the content of `sheetData`. A name that begins with a point is hidden. */
export function xlsx(
  sheets: Record<string, string>,
  { strings = "", styles = "", properties = "", more = {} }: {
    strings?: string;
    styles?: string;
    properties?: string;
    more?: Parts;
  } = {},
): Bytes {
  const names = Object.keys(sheets);
  const listed = names.map((name, n) =>
    `<sheet name="${name}" sheetId="${n + 1}" r:id="r${n}"${
      name.startsWith(".") ? ' state="hidden"' : ""
    }/>`
  );
  const targets: Record<string, [string, string]> = {
    strings: ["sharedStrings", "sharedStrings.xml"],
    styles: ["styles", "styles.xml"],
  };
  const parts: Parts = {};
  for (const [n, name] of names.entries()) {
    targets[`r${n}`] = ["worksheet", `/xl/worksheets/sheet${n}.xml`];
    parts[`xl/worksheets/sheet${n}.xml`] = `<worksheet><sheetData>${
      sheets[name]
    }</sheetData></worksheet>`;
  }
  return archive({
    "_rels/.rels": relationships({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": `<workbook>${properties}<sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(targets),
    "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
    "xl/styles.xml": `<styleSheet>${styles}</styleSheet>`,
    ...parts,
    ...more,
  });
}

/** The content of each slide's shape tree. */
export function pptx(slides: readonly string[], more: Parts = {}): Bytes {
  const targets: Record<string, [string, string]> = {};
  const parts: Parts = {};
  for (const [n, slide] of slides.entries()) {
    targets[`r${n}`] = ["slide", `slides/slide${n}.xml`];
    parts[`ppt/slides/slide${n}.xml`] = `<p:sld><p:spTree>${slide}</p:spTree></p:sld>`;
  }
  const ids = slides.map((_, n) => `<p:sldId id="${256 + n}" r:id="r${n}"/>`).join("");
  return archive({
    "_rels/.rels": relationships({ a: ["officeDocument", "ppt/presentation.xml"] }),
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(targets),
    ...parts,
    ...more,
  });
}

/** A text box of PowerPoint, or the placeholder of a `type`. */
export function shape(text: string, type = ""): string {
  return `<p:sp><p:nvPr>${type && `<p:ph type="${type}"/>`}</p:nvPr>` +
    `<a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp>`;
}

/** `body` is the content of `office:text`. */
export function odt(body: string, more: Parts = {}): Bytes {
  return archive({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content><office:body><office:text>${body}` +
      "</office:text></office:body></office:document-content>",
    ...more,
  });
}

/** Chapters by their file names: HTML. */
export function epub(
  chapters: Record<string, string>,
  { spine = Object.keys(chapters), nav = "", more = {} }: {
    spine?: readonly string[];
    nav?: string;
    more?: Parts;
  } = {},
): Bytes {
  const items = Object.keys(chapters).map((name) => `<item id="${name}" href="text/${name}"/>`);
  const parts = Object.entries(chapters).map(([name, html]) => [`OEBPS/text/${name}`, html]);
  return archive({
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package><manifest><item id="n" href="nav.xhtml" properties="nav"/>${
      items.join("")
    }</manifest><spine>${spine.map((id) => `<itemref idref="${id}"/>`).join("")}</spine></package>`,
    "OEBPS/nav.xhtml": `<html><body><nav>${nav}</nav></body></html>`,
    ...Object.fromEntries(parts),
    ...more,
  });
}
