import type { Block } from "./block.ts";
import { cleanText } from "./decode_text.ts";

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;

/** Paragraphs, separated by empty lines; the line ends within them stay. */
export function parseText(text: string): Block[] {
  return cleanText(text).split(/\n[^\S\n]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part): Block => ({ type: "paragraph", text: part }));
}

/**
 * Parses only headings and paragraphs of Markdown, in linear time. The full grammar of `parseMarkdown`
 * can take quadratic time.
 */
export function parseMarkdownLines(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let isCode = false;
  const endParagraphs = () => {
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
    endParagraphs();
    blocks.push({ type: "heading", level: marks.length, text: title.trim() });
  }
  endParagraphs();
  return blocks;
}
