import { Parser } from "htmlparser2";
import { marked, type Token, type Tokens } from "marked";
import { type Block, CELL_SEPARATOR } from "./block.ts";
import { cleanText, toSingleLine } from "./decode_text.ts";
import { parseHtml } from "./parse_html.ts";

/** Parses CommonMark with GitHub's tables, and skips front matter. */
export function parseMarkdown(text: string): Block[] {
  const tokens = marked.lexer(withoutFrontMatter(cleanText(text)), { gfm: true });
  return tokens.flatMap(toBlocks);
}

function withoutFrontMatter(text: string): string {
  if (!text.startsWith("---\n")) return text;
  const end = text.indexOf("\n---\n", 3);
  return end === -1 ? text : text.slice(end + 5);
}

function toBlocks(token: Token): Block[] {
  switch (token.type) {
    case "heading":
      return unlessEmpty({
        type: "heading",
        level: token.depth,
        text: toSingleLine(inlineText(token.tokens)),
      });
    case "code":
      return unlessEmpty({ type: "code", text: token.text });
    case "list":
      return [{ type: "list", items: listItems(token as Tokens.List, 0) }];
    case "table":
      return [tableBlock(token as Tokens.Table)];
    case "html":
      return parseHtml(token.text);
    case "blockquote":
      return (token.tokens ?? []).flatMap(toBlocks);
    case "paragraph":
    case "text":
      return unlessEmpty({ type: "paragraph", text: inlineText(token.tokens ?? [token]).trim() });
    default:
      return [];
  }
}

function unlessEmpty(block: Block & { text: string }): Block[] {
  return block.text === "" ? [] : [block];
}

function tableBlock({ header, rows }: Tokens.Table): Block {
  const line = (cells: Tokens.TableCell[]) =>
    cells.map((cell) => toSingleLine(inlineText(cell.tokens))).join(CELL_SEPARATOR);
  return { type: "table", rows: [line(header), ...rows.map(line)], hasHeader: true };
}

function listItems(list: Tokens.List, depth: number): string[] {
  return list.items.flatMap((item, n) => {
    const mark = list.ordered ? `${Number(list.start) + n}.` : "-";
    const own = item.tokens.filter((token) => token.type !== "list");
    const text = toSingleLine(own.map((token) => blockText(token)).join(" "));
    const nested = item.tokens.filter((token) => token.type === "list") as Tokens.List[];
    const indent = "  ".repeat(Math.min(depth, 8));
    return [
      ...(text === "" ? [] : [`${indent}${mark} ${text}`]),
      ...nested.flatMap((inner) => listItems(inner, depth + 1)),
    ];
  });
}

/** The text of a block within a list item. */
function blockText(token: Token): string {
  return toBlocks(token).map((block) => {
    if ("text" in block) return block.text;
    return (block.type === "list" ? block.items : block.rows).join(" ");
  }).join(" ");
}

/** The visible text of inline tokens. */
function inlineText(tokens: Token[] | undefined): string {
  return (tokens ?? []).map((token): string => {
    if (token.type === "br") return "\n";
    // The text between tags has its own tokens.
    if (token.type === "html") return token.text.toLowerCase().startsWith("<br") ? "\n" : "";
    if ("tokens" in token && token.tokens !== undefined) return inlineText(token.tokens);
    if (!("text" in token)) return "";
    return token.type === "text" ? decodeEntities(String(token.text)) : String(token.text);
  }).join("");
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  let decoded = "";
  const parser = new Parser({ ontext: (part) => decoded += part });
  parser.end(text.replaceAll("<", "&lt;"));
  return decoded;
}
