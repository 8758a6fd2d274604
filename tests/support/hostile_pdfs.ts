import type { HostileFile } from "./hostile_files.ts";
import { bytes } from "./hostile_texts.ts";
import { deflate, makePdf, type PdfObject, writePdf } from "./make_pdf.ts";

const MIB = 1_048_576;
const good = () => makePdf([[[20, "Title"], [11, "Words on a page."]]]);
const CATALOGUE: PdfObject = { text: "<< /Type /Catalog /Pages 2 0 R >>" };
const PAGES: PdfObject = { text: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>" };
const PAGE: PdfObject = {
  text: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << >> >>",
};

/** PDFs that are damaged, encrypted, empty, endless or no PDFs at all. */
export const HOSTILE_PDFS: HostileFile[] = [
  { name: "fine.txt", make: good, ends: "ready" },
  { name: "only its mark.pdf", make: () => "%PDF-1.7\n", ends: "damaged" },
  { name: "cut in two.pdf", make: () => good().slice(0, 350), ends: "either" },
  { name: "no table.pdf", make: () => textOf(good()).split("xref")[0]!, ends: "either" },
  {
    name: "wrong table.pdf",
    make: () => textOf(good()).replaceAll("0000000", "0009999"),
    ends: "ready",
  },
  {
    name: "behind noughts.pdf",
    make: () => Uint8Array.from([...new Uint8Array(500), ...good()]),
    ends: "ready",
  },
  {
    name: "locked.pdf",
    make: () => writePdf([CATALOGUE, PAGES, PAGE, { text: "", stream: "x" }], locked()),
    ends: "encrypted",
  },
  { name: "blank.pdf", make: () => makePdf([[], []]), ends: "no_text" },
  {
    name: "in a circle.pdf",
    make: () => writePdf([CATALOGUE, { text: "<< /Type /Pages /Kids [2 0 R] /Count 1 >>" }]),
    ends: "either",
  },
  {
    name: "a billion pages.pdf",
    make: () =>
      writePdf([CATALOGUE, { text: "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>" }, PAGE]),
    ends: "either",
  },
  {
    name: "nested arrays.pdf",
    make: () => withContent("[".repeat(100_000)),
    ends: "either",
  },
  {
    name: "a packed bomb.pdf",
    make: async () => packed(await deflate(blanks(64 * MIB))),
    ends: "either",
  },
  {
    name: "a bomb in a bomb.pdf",
    make: async () =>
      packed(await deflate(await deflate(blanks(128 * MIB))), "[/FlateDecode /FlateDecode]"),
    ends: "either",
  },
  {
    name: "text without end.pdf",
    make: async () => packed(await deflate(bytes("BT (x) Tj ET ".repeat(300_000)))),
    ends: "either",
  },
  { name: "a form in itself.pdf", make: formInItself, ends: "either" },
  { name: "brackets only.pdf", make: () => `%PDF-1.7\n${"<<".repeat(200_000)}`, ends: "either" },
];

function textOf(pdf: Uint8Array): string {
  return new TextDecoder("latin1").decode(pdf);
}

/** Encrypted with an unknown password. */
function locked(): string {
  const key = "a1".repeat(32);
  return `/ID [<${"00".repeat(16)}> <${"00".repeat(16)}>] ` +
    `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -44 >>`;
}

function blanks(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(size).fill(0x20);
}

function withContent(stream: string): Uint8Array<ArrayBuffer> {
  return writePdf([CATALOGUE, PAGES, PAGE, { text: "", stream }]);
}

function packed(stream: Uint8Array<ArrayBuffer>, filter = "/FlateDecode"): Uint8Array<ArrayBuffer> {
  return writePdf([CATALOGUE, PAGES, PAGE, { text: `<< /Filter ${filter} >>`, stream }]);
}

function formInItself(): Uint8Array<ArrayBuffer> {
  const form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] " +
    "/Resources << /XObject << /F 5 0 R >> >> >>";
  const page = PAGE.text.replace("/Resources << >>", "/Resources << /XObject << /F 5 0 R >> >>");
  return writePdf([
    CATALOGUE,
    PAGES,
    { text: page },
    { text: "", stream: "/F Do" },
    { text: form, stream: "/F Do /F Do" },
  ]);
}
