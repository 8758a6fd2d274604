/**
 * Markdown to a small tree of known nodes. Nothing of it is ever HTML: a tag in an answer is text,
 * and an address survives only as http, https or mailto. Every search is bounded in length and
 * depth, so that no answer can hang the page.
 */
import { type Inline, inline } from "./markdown_inline.ts";

export type { Inline };

/** Everything that an answer can become. */
export type Tag =
  | ("p" | "h3" | "h4" | "h5" | "ul" | "ol" | "li" | "pre" | "blockquote" | "hr")
  | ("table" | "tr" | "th" | "td" | "strong" | "em" | "del" | "code" | "a" | "img" | "br");

export interface Node {
  readonly tag: Tag;
  readonly kids: Inline[];
  /** Of a link: an absolute http, https or mailto address. Of an image: http or https. */
  readonly href?: string;
  /** First number of an ordered list. */
  readonly start?: number;
}

type Kind = "p" | "h" | "hr" | "quote" | "ul" | "ol" | "table" | "code";

/** One block as it was written: as long as `text` is the same, so is what it becomes. */
export interface Block {
  readonly kind: Kind;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^( *)([-*+]|(\d{1,9})[.)])(?:\s+|$)/;
/** The line below a table's head; without a hyphen, as much of it as may have arrived. */
const TABLE_RULE = /^[\s|:-]*$/;
const MULTI_LINE_KINDS = /p|quote|table/;
const MAX_DEPTH = 6;

/** `live`: the text may go on, so its last line is given the benefit of the doubt. */
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
    const kind = kindOf(line, {
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
  /** Of the block so far. */
  readonly kind: Kind | undefined;
}

function kindOf(line: string, { below = "", live, kind: now }: LineContext): Kind {
  if (FENCE.test(line)) return "code";
  if (/^#{1,6}\s/.test(line)) return "h";
  if (/^(-{3,}|\*{3,}|_{3,})$/.test(line.replace(/\s+/g, ""))) return "hr";
  if (/^ {0,3}>/.test(line)) return "quote";
  const item = ITEM.exec(line);
  // In the middle of a paragraph a line may well begin with a year and a full stop.
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

/** What one block becomes. */
export function parseBlock({ kind, text }: Block, live = false, depth = 0): Node {
  switch (kind) {
    case "h": {
      const [marks] = /^#+/.exec(text)!;
      const title = text.slice(marks.length).replace(/\s#+$/, "");
      return { tag: `h${Math.min(marks.length, 3) + 2}` as Tag, kids: inline(title.trim(), live) };
    }
    case "hr":
      return { tag: "hr", kids: [] };
    case "code":
      return { tag: "pre", kids: [codeOf(text)] };
    case "quote":
      return { tag: "blockquote", kids: parse(text.replace(/^ {0,3}> ?/gm, ""), live, depth + 1) };
    case "table":
      return { tag: "table", kids: rowsOf(text, live) };
    case "p":
      return { tag: "p", kids: inline(text.trim(), live) };
    default:
      return listOf({ kind, text }, live, depth);
  }
}

function parse(text: string, live: boolean, depth: number): Node[] {
  if (depth > MAX_DEPTH) return [{ tag: "p", kids: [text] }];
  const blocks = splitBlocks(text, live);
  return blocks.map((block, at) => parseBlock(block, live && at === blocks.length - 1, depth));
}

function codeOf(text: string): string {
  const [first, ...lines] = text.split("\n");
  const [opening, fence] = FENCE.exec(first!)!;
  if (lines.at(-1)?.trim().startsWith(fence!)) lines.pop();
  return lines.map((line) => outdent(line, opening.length - fence!.length)).join("\n");
}

/** Takes at most so many spaces off the beginning. */
function outdent(line: string, most: number): string {
  return line.replace(/^\s*/, (all) => all.slice(most));
}

function listOf({ kind, text }: Block, live: boolean, depth: number): Node {
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
    // The first paragraph of an item stands beside its mark, not below it.
    const own = blocks[0]?.tag === "p" ? [...blocks.shift()!.kids, ...blocks] : blocks;
    return { tag: "li", kids: own } as const;
  });
  return { tag: kind === "ul" ? "ul" : "ol", kids, ...(start !== 1 && { start }) };
}

function rowsOf(text: string, live: boolean): Node[] {
  const lines = text.split("\n").filter((line, at) => at !== 1 || !TABLE_RULE.test(line));
  return lines.map((line, at) => {
    const cells = line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/);
    const tag = at ? "td" : "th";
    return {
      tag: "tr",
      kids: cells.map((cell) => ({ tag, kids: inline(cell.trim().replace(/\\\|/g, "|"), live) })),
    };
  });
}
