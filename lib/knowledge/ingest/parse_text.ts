import type { Block } from "./block.ts";
import { cleanText } from "./decode_text.ts";

/** Paragraphs, set apart by empty lines; line ends inside of them stay. */
export function parseText(text: string): Block[] {
  return cleanText(text).split(/\n[^\S\n]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part): Block => ({ type: "paragraph", text: part }));
}

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;

/**
 * The blocks of a Markdown document by its lines alone: headings, and paragraphs with their marks left in.
 * Less than `parseMarkdown` makes of it, but no document makes it slow: the full grammar takes time that
 * grows with the square of the size.
 */
export function parseMarkdownLines(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let isCode = false;
  const end = () => {
    blocks.push(...parseText(lines.join("\n")));
    lines = [];
  };
  for (const line of cleanText(text).split("\n")) {
    if (line.startsWith("```") || line.startsWith("~~~")) isCode = !isCode;
    const [, marks, title] = isCode ? [] : HEADING.exec(line) ?? [];
    if (marks === undefined || title === undefined) {
      lines.push(line);
      continue;
    }
    end();
    blocks.push({ type: "heading", level: marks.length, text: title.trim() });
  }
  end();
  return blocks;
}
