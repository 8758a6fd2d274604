import { assertEquals, assertRejects } from "@std/assert";
import { makePdf, writePdf } from "@/tests/support/make_pdf.ts";
import { parsePdf } from "./parse_pdf.ts";
import { DocumentParseError } from "./document_parse_error.ts";

Deno.test("parsePdf: larger letters become headings, lines paragraphs, and hyphenated words are rejoined", async () => {
  const pages = makePdf([
    [
      [24, "The Guide"],
      [11, "Hello world, this is a para-"],
      [11, "graph that goes on"],
      [11, "and on"],
    ],
    [[11, "over the page."], [16, "Second part"], [11, "More (text)."]],
  ]);
  assertEquals(await parsePdf(pages), [
    { type: "heading", level: 1, text: "The Guide" },
    {
      type: "paragraph",
      text: "Hello world, this is a paragraph that goes on and on over the page.",
    },
    { type: "heading", level: 2, text: "Second part" },
    { type: "paragraph", text: "More (text)." },
  ]);
});

Deno.test("parsePdf: reports why a file cannot be parsed", async () => {
  const reason = async (pdf: Uint8Array) =>
    (await assertRejects(() => parsePdf(pdf), DocumentParseError)).code;
  assertEquals(await reason(makePdf([[]])), "no_text");
  assertEquals(await reason(new TextEncoder().encode("%PDF-1.4\nwords")), "damaged");
  const key = "a1".repeat(32);
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> ` +
    `/ID [<${key}> <${key}>]`;
  assertEquals(await reason(writePdf([{ text: "<< /Type /Catalog >>" }], lock)), "encrypted");
});
