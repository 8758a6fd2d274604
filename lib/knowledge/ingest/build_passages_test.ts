import { assert, assertEquals } from "@std/assert";
import type { Block } from "./block.ts";
import { buildPassages } from "./build_passages.ts";
import { estimateTokens } from "./split_text.ts";

const heading = (level: number, text: string): Block => ({ type: "heading", level, text });
const paragraph = (text: string): Block => ({ type: "paragraph", text });
const chunks = (blocks: Block[]) => [...buildPassages(blocks)];
/** About `n` tokens in distinct sentences. */
const prose = (n: number, word = "word") =>
  Array.from({ length: Math.round(n / 5) }, (_, at) => `Sentence ${word} number ${at}.`)
    .map((sentence) => sentence.padEnd(19, "!")).join(" ");

Deno.test("buildPassages: a short document is one passage with its headings as text", () => {
  assertEquals(chunks([heading(1, "A"), paragraph("a"), heading(2, "B"), paragraph("b")]), [
    { headingPath: ["A"], text: "a\n\nB\nb", tokens: 2 },
  ]);
  assertEquals(chunks([]), []);
});

Deno.test("buildPassages: a large section has its own passages", () => {
  const passages = chunks([
    ...[heading(1, "A"), paragraph(prose(250)), heading(2, "B")],
    ...[paragraph(prose(250)), heading(1, "C"), paragraph("c")],
  ]);
  assertEquals(passages.map(({ headingPath }) => headingPath), [["A"], ["A", "B"], ["C"]]);
});

Deno.test("buildPassages: long text becomes passages of 300-500 tokens that overlap", () => {
  const passages = chunks([heading(1, "A"), ...Array(12).fill(paragraph(prose(150)))]);
  assert(passages.length >= 4);
  for (const { tokens } of passages.slice(0, -1)) {
    assert(tokens >= 300 && tokens <= 500, `${tokens}`);
  }
  for (const [n, { text }] of passages.slice(1).entries()) {
    const start = text.slice(0, 60);
    assert(passages[n]!.text.includes(start), start);
  }
});

Deno.test("buildPassages: every passage of a table begins with its header", () => {
  const rows = ["Item | EUR", ...Array.from({ length: 400 }, (_, n) => `Book ${n} | ${n}.00`)];
  const passages = chunks([{ type: "table", rows, hasHeader: true }]);
  assert(passages.length > 3);
  for (const { text } of passages) assert(text.startsWith("Item | EUR\n"));
  const all = passages.flatMap(({ text }) => text.split("\n").slice(1));
  assertEquals(all, rows.slice(1));
});

Deno.test("buildPassages: passages of any script have at most 500 tokens, and no text is lost", () => {
  const texts = ["x".repeat(9_000), "語".repeat(5_000), "👩‍👩‍👧".repeat(900), "ab ".repeat(4_000)];
  for (const text of texts) {
    const passages = chunks([heading(1, "h".repeat(400)), paragraph(text)]);
    for (const passage of passages) {
      assert(passage.tokens <= 500 && passage.text.isWellFormed());
      assert(passage.headingPath[0]!.length <= 160);
      assertEquals(passage.tokens, estimateTokens(passage.text));
    }
    const length = passages.reduce((sum, passage) => sum + passage.text.length, 0);
    assert(length >= text.trim().length * 0.99);
  }
});

Deno.test("buildPassages: a heading without content is not lost", () => {
  const text = chunks([heading(1, "A"), heading(1, "B"), paragraph("b"), heading(2, "C")])
    .map((passage) => [...passage.headingPath, passage.text].join("\n")).join("\n");
  for (const word of ["A", "B", "b", "C"]) assert(text.includes(word), text);
});
