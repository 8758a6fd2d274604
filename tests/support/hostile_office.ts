import type { DocumentParseErrorCode } from "@/lib/knowledge/ingest/document_parse_error.ts";
import type { HostileFile } from "./hostile_files.ts";
import { seeded } from "./flaky_kv.ts";
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
} from "./office_files.ts";

const MIB = 1_048_576;

type Bytes = Uint8Array<ArrayBuffer>;

function file(
  name: string,
  ends: "ready" | "either" | DocumentParseErrorCode,
  make: () => Bytes | string,
): HostileFile {
  return { name, ends, make };
}

/** Office documents, books and tables that a parser must survive. */
export const HOSTILE_OFFICE: HostileFile[] = [
  file("bomb.docx", "too_long", () => docx(p("a".repeat(120 * MIB)))),
  file("bomb of small parts.xlsx", "either", () => {
    const row = `<row>${'<c r="A1" t="str"><v>x</v></c>'.repeat(10)}</row>`;
    return xlsx(Object.fromEntries(times(40, (n) => [`s${n}`, row.repeat(2_000)])));
  }),
  file("declares 4 GiB.docx", "too_long", () => withSize(docx(p("x")), 0xffff_fffe)),
  file("declares nothing.docx", "either", () => withSize(docx(p("some words")), 0)),
  file("many entries.docx", "unsupported_type", () => {
    const more = Object.fromEntries(times(12_000, (n) => [`x/${n}`, ""]));
    return docx(p("x"), more);
  }),
  file(
    "entries out of the archive.docx",
    "ready",
    () => docx(p("inside"), { "../../etc/passwd": "x", "/etc/shadow": "x", "C:\\a": "x" }),
  ),
  file("relationship out of the archive.docx", "ready", () =>
    docx(p("inside"), {
      "word/_rels/document.xml.rels": relationships({
        f: ["footnotes", "../../../../etc/passwd"],
        g: ["footnotes", "file:///etc/passwd"],
        h: ["styles", "http://169.254.169.254/latest"],
      }),
    })),
  file("external entity.docx", "either", () =>
    docx("", {
      "word/document.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' +
        "<w:document><w:body><w:p><w:r><w:t>a &x; b</w:t></w:r></w:p></w:body></w:document>",
    })),
  file("a billion laughs.docx", "either", () =>
    docx("", {
      "word/document.xml": `<!DOCTYPE a [<!ENTITY a0 "ha">${
        times(30, (n) => `<!ENTITY a${n + 1} "&a${n};&a${n};">`).join("")
      }]><w:document><w:p><w:r><w:t>&a30;</w:t></w:r></w:p></w:document>`,
    })),
  file(
    "tables in tables.docx",
    "too_complex",
    () => docx("<w:tbl><w:tr><w:tc>".repeat(2_000) + p("x")),
  ),
  file("a thousand tables in tables.docx", "either", () =>
    docx(
      "<w:tbl><w:tr><w:tc>".repeat(600) + p("x") + "</w:tc></w:tr></w:tbl>".repeat(600),
    )),
  file(
    "paragraphs in paragraphs.docx",
    "too_complex",
    () => docx("<w:p><w:r>".repeat(20_000) + "<w:t>x</w:t>"),
  ),
  file("open to the end.docx", "either", () => docx("<w:p><w:r><w:t>words and no end")),
  file(
    "closed too often.docx",
    "either",
    () => docx(p("words") + "</w:tc></w:tr></w:tbl></w:p></w:t>".repeat(500)),
  ),
  file("styles in a circle.docx", "ready", () =>
    docx(p("words", '<w:pStyle w:val="A"/>'), {
      "word/styles.xml": '<w:styles><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style>' +
        '<w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
    })),
  file("levels out of range.docx", "ready", () =>
    docx(
      p("one", '<w:outlineLvl w:val="-7"/>') + p("two", '<w:outlineLvl w:val="NaN"/>') +
        p("three", '<w:numPr><w:ilvl w:val="999999999"/></w:numPr>'),
    )),
  file(
    "names of prototypes.docx",
    "ready",
    () => docx(p("words", '<w:pStyle w:val="__proto__"/><w:x __proto__="a" constructor="b"/>')),
  ),
  file("one long paragraph.docx", "ready", () => docx(p("No end is in sight. ".repeat(100_000)))),
  file("far too long.docx", "either", () => docx(p("Many words here. ".repeat(3_000_000)))),
  file("nothing in it.docx", "no_text", () => docx("")),
  file("no main part.docx", "unsupported_type", () => archive({ "word/styles.xml": "<a/>" })),
  file("cut in the middle.docx", "unsupported_type", () => {
    const whole = docx(p("words ".repeat(5_000)));
    return whole.slice(0, whole.length >> 1);
  }),
  file("noise in the middle.docx", "either", () => withNoise(docx(p("words ".repeat(50_000))))),
  file("noise as content.docx", "either", () => docx("", { "word/document.xml": noise(MIB) })),
  file(
    "UTF-16.docx",
    "ready",
    () => docx("", { "word/document.xml": utf16(`\ufeff<w:document>${p("Grüße")}</w:document>`) }),
  ),
  file(
    "with a password.docx",
    "unsupported_type",
    () => Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Uint8Array(600)),
  ),
  file("an archive named.docx", "unsupported_type", () => archive({ "a.txt": "words" })),
  file("text named.docx", "unsupported_type", () => "These are just words."),
  file("a page named.xlsx", "unsupported_type", () => "<!doctype html><p>words"),
  file(
    "far column.xlsx",
    "either",
    () =>
      xlsx({
        s: '<row><c r="XFD1" t="str"><v>far</v></c><c r="ZZZ9999999" t="str"><v>x</v></c></row>',
      }),
  ),
  file("sparse.xlsx", "either", () => {
    const row = '<row><c r="A1" t="str"><v>a</v></c><c r="ALL1" t="str"><v>b</v></c></row>';
    return xlsx({ s: row.repeat(5_000) });
  }),
  file(
    "missing texts.xlsx",
    "either",
    () =>
      xlsx({
        s: '<row><c t="s"><v>999999</v></c><c t="s"><v>-1</v></c><c t="s"><v>x</v></c></row>',
      }),
  ),
  file("impossible dates.xlsx", "ready", () =>
    xlsx({
      s: `<row>${
        ["-1", "1e308", "NaN", "2958466", "0", "60"].map((v) => `<c s="0"><v>${v}</v></c>`).join("")
      }</row>`,
    }, { styles: '<cellXfs><xf numFmtId="14"/></cellXfs>' })),
  file(
    "long format.xlsx",
    "ready",
    () =>
      xlsx({ s: '<row><c s="0"><v>1</v></c><c t="str"><v>a</v></c></row>' }, {
        styles: `<numFmts><numFmt numFmtId="164" formatCode="${"[".repeat(50_000)}${
          "&quot;".repeat(9_999)
        }"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`,
      }),
  ),
  file(
    "the same sheet often.xlsx",
    "either",
    () =>
      xlsx({ s: '<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row>' }, {
        more: {
          "xl/workbook.xml": `<workbook><sheets>${
            times(5_000, (n) => `<sheet name="n${n}" r:id="r0"/>`).join("")
          }</sheets></workbook>`,
        },
      }),
  ),
  file(
    "only hidden sheets.xlsx",
    "no_text",
    () => xlsx({ ".a": '<row><c t="str"><v>a</v></c></row>' }),
  ),
  file(
    "many slides.pptx",
    "ready",
    () => pptx(times(1_000, (n) => shape(`Words ${n}`, "title") + shape("more words"))),
  ),
  file("the same slide often.pptx", "either", () =>
    pptx([shape("words")], {
      "ppt/presentation.xml": `<p:presentation>${
        '<p:sldId r:id="r0"/>'.repeat(20_000)
      }</p:presentation>`,
    })),
  file("groups in groups.pptx", "too_complex", () => pptx(["<p:grpSp>".repeat(3_000)])),
  file("notes of themselves.pptx", "ready", () =>
    pptx([shape("words")], {
      "ppt/slides/_rels/slide0.xml.rels": relationships({ n: ["notesSlide", "slide0.xml"] }),
    })),
  file(
    "many blanks.odt",
    "either",
    () => odt(`<text:p>a${'<text:s text:c="999999999"/>'.repeat(2_000)}b</text:p>`),
  ),
  file("repeated cells.odt", "ready", () =>
    odt(
      '<table:table><table:table-row table:number-rows-repeated="999999999">' +
        '<table:table-cell table:number-columns-repeated="999999999"><text:p>a</text:p>' +
        "</table:table-cell></table:table-row></table:table>",
    )),
  file(
    "lists in lists.odt",
    "too_complex",
    () => odt("<text:list><text:list-item>".repeat(3_000) + "<text:p>x</text:p>"),
  ),
  file(
    "no content.odt",
    "damaged",
    () => archive({ mimetype: "application/vnd.oasis.opendocument.text" }),
  ),
  file(
    "a spreadsheet of OpenDocument.ods",
    "unsupported_type",
    () =>
      archive({
        mimetype: "application/vnd.oasis.opendocument.spreadsheet",
        "content.xml": "<a/>",
      }),
  ),
  file(
    "chapter a thousand times.epub",
    "ready",
    () => epub({ "a.html": "<p>words" }, { spine: times(1_000, () => "a.html") }),
  ),
  file("chapters out of the archive.epub", "no_text", () =>
    epub({}, {
      more: {
        "OEBPS/book.opf": '<package><item id="a" href="../../../etc/passwd"/>' +
          '<item id="b" href="file:///etc/passwd"/><itemref idref="a"/><itemref idref="b"/></package>',
      },
    })),
  file("package of itself.epub", "either", () =>
    epub({}, {
      more: { "META-INF/container.xml": '<rootfile full-path="META-INF/container.xml"/>' },
    })),
  file(
    "script in a chapter.epub",
    "ready",
    () => epub({ "a.html": "<script>alert(1)</script><p onclick='x'>words" }),
  ),
  file("nested chapter.epub", "either", () => epub({ "a.html": "<b>".repeat(9_000) + "words" })),
  file("protected.epub", "encrypted", () =>
    epub({ "a.html": "<p>x" }, {
      more: {
        "META-INF/encryption.xml": '<e><CipherReference URI="OEBPS/text/a.html"/></e>',
      },
    })),
  file("open quote.csv", "either", () => `a,b\n"${"word, ".repeat(100_000)}`),
  file("quotes.csv", "either", () => '"'.repeat(200_001)),
  file("separators.csv", "either", () => ",;\t|".repeat(50_000)),
  file("wide.csv", "either", () => `${"a,".repeat(60_000)}\n${"1,".repeat(60_000)}`),
  file("long.csv", "either", () => "name,price\n" + "lamp,3\n".repeat(100_000)),
];

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** Sets the unpacked size of every entry in the central directory. */
function withSize(zip: Bytes, size: number): Bytes {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  for (let at = 0; at < zip.length - 46; at++) {
    if (view.getUint32(at, true) === 0x0201_4b50) view.setUint32(at + 24, size, true);
  }
  return zip;
}

/** Leaves the directory as it is. */
function withNoise(zip: Bytes): Bytes {
  const random = seeded(7);
  for (let at = 200; at < zip.length * 0.6; at += 17) zip[at] = Math.floor(random() * 256);
  return zip;
}

function noise(length: number): Bytes {
  const random = seeded(11);
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

function utf16(text: string): Bytes {
  const units = Uint16Array.from(text, (one) => one.charCodeAt(0));
  return new Uint8Array(units.buffer);
}
