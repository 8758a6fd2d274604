import { assertEquals, assertThrows } from "@std/assert";
import {
  archive,
  docx,
  epub,
  odt,
  pptx,
  relationships,
  shape,
  wordParagraph as p,
  xlsx,
} from "@/tests/support/office_files.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { archivedDocumentType } from "./document_kind.ts";
import { resolvePath } from "./open_archive.ts";
import { parseDocx } from "./parse_docx.ts";
import { parseEpub } from "./parse_epub.ts";
import { parseOdt } from "./parse_odt.ts";
import { parsePptx } from "./parse_pptx.ts";
import { parseXlsx } from "./parse_xlsx.ts";

Deno.test("parseDocx: headings by style, inherited style and outline level; lists and line ends", () => {
  const blocks = parseDocx(docx(
    p("Returns", '<w:pStyle w:val="U1"/>') + p("Mine", '<w:pStyle w:val="Mine"/>') +
      p("Level three", '<w:outlineLvl w:val="2"/>') + p("Körper &amp; Text") +
      p("one", '<w:numPr><w:ilvl w:val="0"/></w:numPr>') + p("deep", '<w:pStyle w:val="LB"/>') +
      "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r></w:p>" + p(" "),
  ));
  assertEquals(blocks, [
    { type: "heading", level: 1, text: "Returns" },
    { type: "heading", level: 1, text: "Mine" },
    { type: "heading", level: 3, text: "Level three" },
    { type: "paragraph", text: "Körper & Text" },
    { type: "list", items: ["- one", "  - deep"] },
    { type: "paragraph", text: "a\nb c" },
  ]);
});

Deno.test("parseDocx: tables, tables in cells, text boxes once, footnotes at the end", () => {
  const cell = (text: string) => `<w:tc>${text}</w:tc>`;
  const table = (...rows: string[]) =>
    `<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join("")}</w:tbl>`;
  const box = `<mc:AlternateContent><mc:Choice><w:txbxContent>${p("In a box")}</w:txbxContent>` +
    `</mc:Choice><mc:Fallback><w:txbxContent>${p("In a box")}</w:txbxContent></mc:Fallback>` +
    "</mc:AlternateContent>";
  const inner = table(cell(p("x")) + cell(p("y")));
  const footnotes = `<w:footnotes><w:footnote>${p("A note.")}</w:footnote></w:footnotes>`;
  const blocks = parseDocx(docx(
    table(cell(p("Land")) + cell(p("Price")), cell(p("Norway")) + cell(inner)) +
      `<w:p><w:r>${box}<w:t>Around</w:t></w:r></w:p>`,
    { "word/footnotes.xml": footnotes },
  ));
  assertEquals(blocks, [
    { type: "table", rows: ["Land | Price", "Norway | x y"], hasHeader: true },
    { type: "paragraph", text: "In a box" },
    { type: "paragraph", text: "Around" },
    { type: "paragraph", text: "A note." },
  ]);
});

Deno.test("parseDocx: deleted and moved text, field codes and hidden copies are left out", () => {
  const blocks = parseDocx(docx(
    "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r>" +
      "</w:ins><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom>" +
      "<w:r><w:instrText>PAGE</w:instrText></w:r></w:p>",
  ));
  assertEquals(blocks, [{ type: "paragraph", text: "new" }]);
});

const STYLES = '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/>' +
  '<numFmt numFmtId="165" formatCode="[Red]0.0%"/>' +
  '<numFmt numFmtId="166" formatCode="&quot;days&quot; 0"/></numFmts>' +
  '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>' +
  '<xf numFmtId="166"/><xf numFmtId="20"/></cellXfs>';

Deno.test("parseXlsx: shared and inline texts, dates, times, percent, formulas, gaps; no hidden sheets", () => {
  const rows = '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c>' +
    '<c r="C1" t="str"><v>Share</v></c></row>' +
    '<row><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>46082</v></c><c r="C2" s="3"><v>0.125</v></c></row>' +
    '<row><c r="A3"><f>1/3</f><v>0.30000000000000004</v></c><c r="B3" s="2"><v>46082.5</v></c></row>' +
    '<row><c r="A4" s="4"><v>7</v></c><c r="C4" t="b"><v>1</v></c><c r="D4" s="5"><v>0.75</v></c></row>';
  const strings =
    "<si><t>Item</t></si><si><r><t>Red </t></r><r><t>lamp</t></r><rPh><t>x</t></rPh></si>";
  const blocks = parseXlsx(
    xlsx({ Prices: rows, ".Secret": '<row><c r="A1"><v>1</v></c></row>' }, {
      strings,
      styles: STYLES,
    }),
  );
  assertEquals(blocks, [
    { type: "heading", level: 1, text: "Prices" },
    {
      type: "table",
      rows: [
        "Item | When | Share",
        "Red lamp | 2026-03-01 | 12.5%",
        "0.3 | 2026-03-01 12:00",
        "7 |  | TRUE | 18:00",
      ],
      hasHeader: true,
    },
  ]);
});

Deno.test("parseXlsx: dates that count from 1904, and cells without references", () => {
  const rows = '<row><c t="str"><v>a</v></c><c s="1"><v>0</v></c></row>';
  const properties = '<workbookPr date1904="1"/>';
  const [, table] = parseXlsx(xlsx({ S: rows }, { styles: STYLES, properties }));
  assertEquals(table, { type: "table", rows: ["a | 1904-01-01"], hasHeader: false });
});

Deno.test("parsePptx: slides in the order of the presentation, with tables and notes", () => {
  const table = "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>K</a:t></a:r></a:p></a:tc>" +
    "<a:tc><a:p><a:r><a:t>V</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>";
  const blocks = parsePptx(pptx(
    [shape("Welcome", "title") + shape("Point one") + shape("7", "sldNum"), table],
    {
      "ppt/slides/_rels/slide0.xml.rels": relationships({ n: ["notesSlide", "../notes1.xml"] }),
      "ppt/notes1.xml": `<p:notes>${shape("Say hello", "body")}</p:notes>`,
    },
  ));
  assertEquals(blocks, [
    { type: "heading", level: 1, text: "Slide 1: Welcome" },
    { type: "paragraph", text: "Point one" },
    { type: "paragraph", text: "Say hello" },
    { type: "heading", level: 1, text: "Slide 2" },
    { type: "table", rows: ["K | V"], hasHeader: false },
  ]);
});

Deno.test("parseOdt: headings, lists, tables, spaces and notes; no deleted text and comments", () => {
  const blocks = parseOdt(odt(
    "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>" +
      '<text:h text:outline-level="2">Titel</text:h>' +
      '<text:p>Ein<text:s text:c="3"/>Absatz<office:annotation><text:p>hm</text:p></office:annotation></text:p>' +
      "<text:list><text:list-item><text:p>eins</text:p></text:list-item></text:list>" +
      "<table:table><table:table-row><table:table-cell><text:p>Land</text:p></table:table-cell>" +
      "<table:table-cell><text:p>Preis</text:p></table:table-cell></table:table-row></table:table>",
  ));
  assertEquals(blocks, [
    { type: "heading", level: 2, text: "Titel" },
    { type: "paragraph", text: "Ein Absatz" },
    { type: "list", items: ["- eins"] },
    { type: "table", rows: ["Land | Preis"], hasHeader: false },
  ]);
});

Deno.test("parseEpub: chapters in the order of the spine, titled by the contents if they have no heading", () => {
  const nav = '<ol><li><a href="text/a.xhtml">Chapter A</a></li></ol>';
  const book = {
    "b.xhtml": "<h1>B</h1><p>Second.</p>",
    "a.xhtml": "<p>First.</p>",
    "x.xhtml": "<p>no",
  };
  assertEquals(parseEpub(epub(book, { spine: ["a.xhtml", "b.xhtml", "a.xhtml"], nav })), [
    { type: "heading", level: 1, text: "Chapter A" },
    { type: "paragraph", text: "First." },
    { type: "heading", level: 1, text: "B" },
    { type: "paragraph", text: "Second." },
  ]);
});

Deno.test("parseEpub, parseOdt: protected documents are rejected with the reason", () => {
  const encryption = '<encryption><CipherReference URI="OEBPS/text/a.xhtml"/></encryption>';
  const book = epub({ "a.xhtml": "<p>x" }, { more: { "META-INF/encryption.xml": encryption } });
  assertThrows(() => parseEpub(book), DocumentParseError, "protected against copying");
  const manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>";
  const text = odt("<text:p>x</text:p>", { "META-INF/manifest.xml": manifest });
  assertThrows(() => parseOdt(text), DocumentParseError, "password");
});

Deno.test("archivedDocumentType: by what only such a document has, whatever its name", () => {
  const office = "application/vnd.openxmlformats-officedocument";
  assertEquals(archivedDocumentType(docx("")), `${office}.wordprocessingml.document`);
  assertEquals(archivedDocumentType(xlsx({})), `${office}.spreadsheetml.sheet`);
  assertEquals(archivedDocumentType(pptx([])), `${office}.presentationml.presentation`);
  assertEquals(archivedDocumentType(odt("")), "application/vnd.oasis.opendocument.text");
  assertEquals(archivedDocumentType(epub({})), "application/epub+zip");
  assertEquals(archivedDocumentType(archive({ "a.txt": "x" })), undefined);
  assertEquals(archivedDocumentType(archive({ mimetype: "x".repeat(9_999) })), undefined);
  assertEquals(archivedDocumentType(docx("").slice(0, 200)), undefined);
});

Deno.test("resolvePath: references stay in the archive", () => {
  assertEquals(resolvePath("word/document.xml", "media/a%20b.png"), "word/media/a b.png");
  assertEquals(resolvePath("ppt/slides/s.xml", "../notes/n.xml#x"), "ppt/notes/n.xml");
  assertEquals(resolvePath("ppt/slides/s.xml", "/xl/a.xml"), "xl/a.xml");
  for (const outside of ["../../../etc/passwd", "http://a.example/x", "file:///etc/passwd"]) {
    assertEquals(resolvePath("word/document.xml", outside), undefined);
  }
});
