import { assertEquals } from "@std/assert";
import { parseMarkdown } from "./parse_markdown.ts";

Deno.test("parseMarkdown: headings, paragraphs, lists, tables, code and HTML become blocks", () => {
  const text = `---
title: x
---
# The *Guide*

One [link](https://a.example) & \`code\`,
two &amp; ![a map](x.png).

> Quoted

1. first
2. second
   - inner

| Item | EUR |
|------|-----|
| Book | **9** |

\`\`\`js
let a = 1;
\`\`\`

<p>From <b>HTML</b></p>
`;
  assertEquals(parseMarkdown(text), [
    { type: "heading", level: 1, text: "The Guide" },
    { type: "paragraph", text: "One link & code,\ntwo & a map." },
    { type: "paragraph", text: "Quoted" },
    { type: "list", items: ["1. first", "2. second", "  - inner"] },
    { type: "table", rows: ["Item | EUR", "Book | 9"], hasHeader: true },
    { type: "code", text: "let a = 1;" },
    { type: "paragraph", text: "From HTML" },
  ]);
});

Deno.test("parseMarkdown: tags within a paragraph are dropped, and their text stays", () => {
  assertEquals(parseMarkdown("a <b>c</b><br>d"), [{ type: "paragraph", text: "a c\nd" }]);
});
