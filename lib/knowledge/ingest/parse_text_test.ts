import { assertEquals } from "@std/assert";
import { parseMarkdownLines } from "./parse_text.ts";

Deno.test("parseMarkdownLines: finds headings and paragraphs, but no heading within code", () => {
  const text = "# Title \n\nOne\ntwo.\n\n- item\n\n### Part\n```\n# comment\n```\n#hash\n";
  assertEquals(parseMarkdownLines(text), [
    { type: "heading", level: 1, text: "Title" },
    { type: "paragraph", text: "One\ntwo." },
    { type: "paragraph", text: "- item" },
    { type: "heading", level: 3, text: "Part" },
    { type: "paragraph", text: "```\n# comment\n```\n#hash" },
  ]);
});
