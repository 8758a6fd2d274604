/**
 * Parses Markdown into a small tree of known nodes. It never becomes HTML: a tag in an answer is
 * text, and only http, https and mailto addresses become links. Every search is bounded in length
 * and depth, so that no answer can freeze the page.
 */
import { parseInline } from "./markdown_inline.ts";
import type { Node, Tag } from "./markdown_tree.ts";

type Kind = "p" | "h" | "hr" | "quote" | "ul" | "ol" | "table" | "code";

/** The source of one block. The same source always parses to the same node. */
export interface Block {
  readonly kind: Kind;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^( *)([-*+]|(\d{1,9})[.)])(?:\s+|$)/;
/** The line below a table's head, or as much of it as has arrived. */
const TABLE_RULE = /^[\s|:-]*$/;
const MULTI_LINE_KINDS = /p|quote|table/;
const MAX_DEPTH = 6;

/** `live`: more text may follow, so an incomplete last line is read as what it may become. */
export function splitBlocks(text: string, live?: boolean): Block[] {
  const blocks: { kind: Kind; lines: string[] }[] = [];
  let now: typeof blocks[number] | undefined;
  let fence = "";
  let gap = false;
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    if (fence) {
      now!.lines.push(line);
      if (line.trim().startsWith(fence) && !/[^`~\s]/.test(line)) fence = "", now = undefined;
      return;
    }
    if (!line.trim()) {
      gap = true;
      if (isList(now?.kind)) now!.lines.push("");
      else now = undefined;
      return;
    }
    const kind = blockKind(line, {
      below: lines[at + 1],
      live: live && at > lines.length - 3,
      kind: now?.kind,
    });
    if (now && continues(now.kind, { kind, line, gap })) now.lines.push(line);
    else blocks.push(now = { kind, lines: [line] });
    gap = false;
    if (now.kind === "code") fence = FENCE.exec(line)![1]!;
  });
  return blocks.map(({ kind, lines }) => ({ kind, text: lines.join("\n").trimEnd() }));
}

interface LineContext {
  /** The next line. */
  readonly below: string | undefined;
  readonly live: boolean | undefined;
  /** Kind of the current block. */
  readonly kind: Kind | undefined;
}

function blockKind(line: string, { below = "", live, kind: now }: LineContext): Kind {
  if (FENCE.test(line)) return "code";
  if (/^#{1,6}\s/.test(line)) return "h";
  if (/^(-{3,}|\*{3,}|_{3,})$/.test(line.replace(/\s+/g, ""))) return "hr";
  if (/^ {0,3}>/.test(line)) return "quote";
  const item = ITEM.exec(line);
  // Inside a paragraph, a line can start with a year and a full stop without being a list item.
  if (item && !(now === "p" && item[3] && +item[3] !== 1)) return item[3] ? "ol" : "ul";
  const isRule = TABLE_RULE.test(below) &&
    (below.includes("|") && below.includes("-") || live && line[0] === "|");
  return line.includes("|") && (now === "table" || isRule) ? "table" : "p";
}

function continues(
  now: Kind,
  { kind, line, gap }: { readonly kind: Kind; readonly line: string; readonly gap: boolean },
): boolean {
  if (!isList(now)) return kind === now && MULTI_LINE_KINDS.test(kind);
  return kind === now || /^\s{2}/.test(line) || kind === "p" && !gap;
}

function isList(kind: Kind | undefined): boolean {
  return kind === "ul" || kind === "ol";
}

/** Parses one block. */
export function parseBlock({ kind, text }: Block, live = false, depth = 0): Node {
  switch (kind) {
    case "h": {
      const [marks] = /^#+/.exec(text)!;
      const title = text.slice(marks.length).replace(/\s#+$/, "").trim();
      return { tag: `h${Math.min(marks.length, 3) + 2}` as Tag, kids: parseInline(title, live) };
    }
    case "hr":
      return { tag: "hr", kids: [] };
    case "code":
      return { tag: "pre", kids: [parseCode(text)] };
    case "quote":
      return { tag: "blockquote", kids: parse(text.replace(/^ {0,3}> ?/gm, ""), live, depth + 1) };
    case "table":
      return { tag: "table", kids: parseRows(text, live) };
    case "p":
      return { tag: "p", kids: parseInline(text.trim(), live) };
    default:
      return parseList({ kind, text }, live, depth);
  }
}

function parse(text: string, live: boolean, depth: number): Node[] {
  if (depth > MAX_DEPTH) return [{ tag: "p", kids: [text] }];
  const blocks = splitBlocks(text, live);
  return blocks.map((block, at) => parseBlock(block, live && at === blocks.length - 1, depth));
}

function parseCode(text: string): string {
  const [first, ...lines] = text.split("\n");
  const [opening, fence] = FENCE.exec(first!)!;
  if (lines.at(-1)?.trim().startsWith(fence!)) lines.pop();
  return lines.map((line) => outdent(line, opening.length - fence!.length)).join("\n");
}

/** Removes at most `max` leading spaces. */
function outdent(line: string, max: number): string {
  return line.replace(/^\s*/, (all) => all.slice(max));
}

function parseList({ kind, text }: Block, live: boolean, depth: number): Node {
  const items: string[][] = [];
  let inner = 0;
  let start = 1;
  for (const line of text.split("\n")) {
    const item = ITEM.exec(line);
    if (item && (!items.length || item[1]!.length < inner)) {
      if (!items.length) start = +(item[3] ?? 1);
      inner = Math.min(item[0].length, item[1]!.length + item[2]!.length + 1);
      items.push([line.slice(item[0].length)]);
    } else items.at(-1)!.push(outdent(line, inner));
  }
  const kids = items.map((lines, at) => {
    const blocks = parse(lines.join("\n"), live && at === items.length - 1, depth + 1);
    // The first paragraph of an item is on the line of its marker.
    const own = blocks[0]?.tag === "p" ? [...blocks.shift()!.kids, ...blocks] : blocks;
    return { tag: "li", kids: own } as const;
  });
  return { tag: kind === "ul" ? "ul" : "ol", kids, ...(start !== 1 && { start }) };
}

/** Keeps a row's escaped pipes apart from those that end cells. */
const ESCAPED_PIPE = "\0";

function parseRows(text: string, live: boolean): Node[] {
  const lines = text.split("\n").filter((line, at) => at !== 1 || !TABLE_RULE.test(line));
  return lines.map((line, at) => {
    const cells = line.trim().replaceAll("\\|", ESCAPED_PIPE).replace(/^\||\|$/g, "").split("|");
    const tag = at ? "td" : "th";
    const text = (cell: string) => cell.trim().replaceAll(ESCAPED_PIPE, "|");
    return {
      tag: "tr",
      kids: cells.map((cell) => ({ tag, kids: parseInline(text(cell), live) })),
    };
  });
}
