import { assertEquals } from "@std/assert";
import { decodeHtml, parseHtml } from "./parse_html.ts";

Deno.test("parseHtml: headings, paragraphs, lists, tables and code become blocks", () => {
  const html = `<!doctype html><head><title>T</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav>
    <h1>The <em>Guide</em></h1>
    <p>One &amp; two,<br>three   <b>four</b>.</p>Loose text
    <ul><li>first<ul><li>inner</li></ul></li><li><p>second</p></ul>
    <pre>  let a = 1;
  b();</pre>
    <table><caption>Prices</caption><tr><th>Item</th><th>EUR</th></tr>
      <tr><td>Book</td><td>9 <i>only</i></td></tr></table>
    <script>alert("no")</script><img alt="A map"> <p hidden>secret</p>`;
  assertEquals(parseHtml(html), [
    { type: "heading", level: 1, text: "The Guide" },
    { type: "paragraph", text: "One & two,\nthree four." },
    { type: "paragraph", text: "Loose text" },
    { type: "list", items: ["- first", "  - inner", "- second"] },
    { type: "code", text: "  let a = 1;\n  b();" },
    { type: "paragraph", text: "Prices" },
    { type: "table", rows: ["Item | EUR", "Book | 9 only"], hasHeader: true },
    { type: "paragraph", text: "A map" },
  ]);
});

Deno.test("parseHtml: a table of one column is layout", () => {
  assertEquals(parseHtml("<table><tr><td>Words</td></tr><tr><td>More</td></tr></table>after"), [
    { type: "paragraph", text: "Words" },
    { type: "paragraph", text: "More" },
    { type: "paragraph", text: "after" },
  ]);
});

Deno.test("parseHtml: unclosed elements lose no text", () => {
  assertEquals(parseHtml("<h2>A<p>b<ul><li>c<li>d"), [
    { type: "paragraph", text: "A" },
    { type: "paragraph", text: "b" },
    { type: "list", items: ["- c", "- d"] },
  ]);
  assertEquals(parseHtml("<li>c</li><p>d</p><table><tr><td>e<td>f"), [
    { type: "list", items: ["- c"] },
    { type: "paragraph", text: "d" },
    { type: "table", rows: ["e | f"], hasHeader: false },
  ]);
});

Deno.test("decodeHtml: the declared encoding applies unless the bytes contradict it", () => {
  const latin = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
  const meta = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';
  assertEquals(decodeHtml(latin(`${meta}\xb1`)), `${meta}ą`);
  assertEquals(decodeHtml(latin("\xfc")), "ü");
  const utf8 = new TextEncoder().encode("<meta charset=iso-8859-2>ü");
  assertEquals(decodeHtml(utf8), "<meta charset=iso-8859-2>ü");
});
