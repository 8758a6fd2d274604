/**
 * The words inside a block: emphasis, code, links and images, read once from left to right. What may
 * begin something waits on a short stack for its end, as in CommonMark's algorithm, so the time is
 * linear in the length of the text. A test proves that each pattern is linear, too.
 */
import type { Node } from "./markdown.ts";

export type Inline = string | Node;

/** An escape, or anything else that may mean something. */
const TOKEN =
  /\\([!-/:-@[-`{-~])|`+|\*{1,3}|_{1,3}|~~|!?\[|]|<br ?\/?>|\n|\bhttps?:\/\/[^\s<>"'`\\|]*[^\s<>"'`\\|.,:;!?*_~)\]}]/g;
/** The code behind a mark, up to the next one. Two backticks may have single ones between them. */
const CODE = /([^`]+)(`+)/y;
const CODE_IN_TWO = /((?:`?[^`])+)(`+)/y;
/** The end of a link. No part of it may contain the beginning of another end. */
const TARGET = /]\(<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?: [^()\n]*)?\)/y;
/** The same where it is still arriving. */
const OPEN_TARGET = /](?:\([^()]*)?$/y;
/** The newest openers only: this bounds the depth of the tree and the time to find one. */
const MAX_OPENERS = 9;

/** What begins emphasis or a link, if its end comes. */
interface Opener {
  readonly mark: string;
  /** Index of the mark among the nodes, where it is text until then. */
  readonly place: number;
  /** Index in the source of what follows the mark. */
  readonly inside: number;
  /** Characters of the mark that are not used up. */
  remaining: number;
}

interface Scan {
  readonly source: string;
  readonly live: boolean;
  readonly nodes: Inline[];
  readonly openers: Opener[];
  /** Index in the source of what has not been read. */
  cursor: number;
}

/** `live`: the text may go on, so what is open at its end counts as meant. */
export function inline(text: string, live = false): Inline[] {
  const source = live ? /^[^]*[^*_`~![]|/.exec(text)![0] : text;
  const scan: Scan = { source, live, nodes: [], openers: [], cursor: 0 };
  const { nodes, openers } = scan;
  for (let found; TOKEN.lastIndex = scan.cursor, found = TOKEN.exec(source);) {
    nodes.push(source.slice(scan.cursor, found.index));
    scan.cursor = TOKEN.lastIndex;
    take(scan, found);
  }
  nodes.push(rest(scan));
  while (live && openers[0]) {
    const { mark, place, remaining } = openers.at(-1)!;
    if (mark === "*" && remaining > 1) wrap(scan, openers.length - 1, 2);
    else {
      if (mark === "[") nodes[place] = "";
      openers.pop();
    }
  }
  return joined(nodes);
}

function take(scan: Scan, { index, 0: word, 1: escaped }: RegExpExecArray): void {
  const mark = word[0]!;
  if (escaped) scan.nodes.push(escaped);
  else if (mark === "`") code(scan, word);
  else if (mark === "]") bracket(scan, index);
  else if (mark === "h") link(scan, word, [word]);
  else if (/[[!]/.test(mark)) open(scan, "[", word);
  else if (/[<\n]/.test(mark)) scan.nodes.push({ tag: "br", kids: [] });
  else delimiter(scan, mark, { size: word.length, before: scan.source[index - 1] });
}

function rest(scan: Scan): string {
  const { cursor, source } = scan;
  scan.cursor = source.length;
  return source.slice(cursor);
}

function code(scan: Scan, mark: string): void {
  const pattern = mark[1] && !mark[2] ? CODE_IN_TWO : CODE;
  pattern.lastIndex = scan.cursor;
  const [all, inner, end] = pattern.exec(scan.source) ?? [];
  if (end === mark) scan.cursor += all!.length;
  const text = end === mark
    ? inner!.trim()
    : scan.live && /\S/.test(scan.source[scan.cursor]!)
    ? rest(scan)
    : "";
  scan.nodes.push(text ? { tag: "code", kids: [text] } : mark);
}

function open({ nodes, openers, cursor }: Scan, mark: string, word: string): void {
  const place = nodes.push(word) - 1;
  openers.push({ mark, place, inside: cursor, remaining: word.length });
  if (openers.length > MAX_OPENERS) openers.shift();
}

function find({ openers }: Scan, mark: string): number {
  return openers.findLastIndex((opener) => opener.mark === mark);
}

interface Delimiter {
  size: number;
  /** The character before it. */
  readonly before: string | undefined;
}

/** A mark ends what it can, and what is left of it may begin something. */
function delimiter(scan: Scan, mark: string, { size, before = " " }: Delimiter): void {
  const { nodes, openers, source, cursor } = scan;
  const after = source[cursor] ?? " ";
  const inWord = (letter: string) => (mark === "_" ? /[\p{L}\d]/u : /\w/).test(letter);
  const ends = /\S/.test(before) && !((mark === "_" || size < 2) && inWord(after));
  for (let at; ends && size && (at = find(scan, mark)) >= 0;) {
    const used = Math.min(size, openers[at]!.remaining, 2);
    wrap(scan, at, used);
    size -= used;
  }
  const word = mark.repeat(size);
  if (word && /\S/.test(after) && !(mark === "_" && inWord(before))) open(scan, mark, word);
  else nodes.push(word);
}

/** Everything behind an opener becomes one node. */
function wrap({ nodes, openers }: Scan, at: number, size: number): void {
  const opener = openers[at]!;
  const { mark, place } = opener;
  const kids = joined(nodes.splice(place + 1));
  nodes[place] = mark.repeat(opener.remaining -= size);
  nodes.push({ tag: mark === "~" ? "del" : size > 1 ? "strong" : "em", kids });
  openers.length = opener.remaining ? at + 1 : at;
}

function bracket(scan: Scan, index: number): void {
  const { nodes, openers, source } = scan;
  const at = find(scan, "[");
  const opener = openers[at];
  TARGET.lastIndex = OPEN_TARGET.lastIndex = index;
  const target = TARGET.exec(source);
  if (opener && target) {
    const kids = joined(nodes.splice(opener.place + 1));
    const isImage = nodes.pop() !== "[";
    scan.cursor = TARGET.lastIndex;
    openers.length = at;
    if (isImage) nodes.push(image(target[1]!, source.slice(opener.inside, index)));
    else link(scan, target[1]!, kids);
  } else if (opener && scan.live && OPEN_TARGET.test(source)) {
    nodes[opener.place] = "";
    rest(scan);
  } else {
    nodes.push("]");
    if (opener) openers.splice(at, 1);
  }
}

/** A link in a link's label is its words. */
function link({ nodes }: Scan, url: string, kids: Inline[]): void {
  const href = safeUrl(url);
  const words = kids.flatMap((kid) => typeof kid !== "string" && kid.tag === "a" ? kid.kids : kid);
  if (href) nodes.push({ tag: "a", href, kids: words });
  else for (const kid of kids) nodes.push(kid);
}

/** An image is its alternative text, and a node of its own so that a permitted one can be shown. */
function image(url: string, label: string): Inline {
  const href = safeUrl(url);
  return href && /^http/.test(href) ? { tag: "img", href, kids: [label] } : label;
}

/** Neighbouring strings become one. */
function joined(parts: Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const part of parts) {
    const last = out.length - 1;
    if (typeof part !== "string") out.push(part);
    else if (typeof out[last] === "string") out[last] += part;
    else if (part) out.push(part);
  }
  return out;
}

/**
 * An http(s) or mailto address as the browser reads it; undefined for anything else, and for one with
 * a user name, which only serves to make another host look like this one.
 */
export function safeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { href, protocol, username } = new URL(text);
  return /^(https?|mailto):$/.test(protocol) && !username ? href : undefined;
}
