/** The words inside a block: emphasis, code, links and images. */
import type { Node } from "./markdown.ts";

export type Inline = string | Node;

const SPECIAL = /[\\`*_~![<\n]|https?:\/\//g;
const ESCAPE = /\\([!-/:-@[-`{-~])/y;
const CODE = /(`+)([^]{1,999}?)(?<!`)\1(?!`)/y;
const STRONG = /(\*\*|__|~~)(?=\S)([^]{1,999}?)(?<!\s)\1(?!\*)/y;
const EM = /([*_])(?=[^\s*_])([^]{1,999}?)(?<![\s*_])\1(?![*_\w])/y;
const LINK =
  /!?\[((?:[^[\]\\]|\\.|!?\[[^[\]]{0,999}\](?:\([^()]{0,999}\))?){0,999})\]\(<?((?:[^\s()<>]|\([^\s()]{0,999}\)){0,999})>?(?: [^)\n]{0,999})?\)/y;
const BREAK = /<br ?\/?>|\s*\n\s*/y;
const BARE = /https?:\/\/[^\s<>"'`\\|]{1,999}/y;
/** What an answer that is still arriving may end in the middle of. */
const OPEN = /(\*\*|`+)(?=\S)([^`]{0,999})$/y;
const OPEN_LINK = /!?\[([^\]]{0,999})(?:\](?:\([^)]{0,999})?)?$/y;
const MAX_DEPTH = 8;

/** `live`: the text may go on, so what is open at its end counts as meant. */
export function inline(text: string, live = false, depth = 0): Inline[] {
  if (depth > MAX_DEPTH) return [text];
  if (live) text = text.replace(/[*_`~![]+$/, "");
  const out: Inline[] = [];
  let done = 0;
  SPECIAL.lastIndex = 0;
  for (let at = next(text, 0); at >= 0;) {
    const found = read(text, { at, live, depth });
    if (found) {
      push(out, text.slice(done, at));
      found.nodes.forEach((node) => push(out, node));
      done = at + found.length;
    }
    at = next(text, found ? done : at + 1);
  }
  push(out, text.slice(done));
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

function next(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.exec(text)?.index ?? -1;
}

function push(out: Inline[], node: Inline): void {
  const last = out.length - 1;
  if (typeof node !== "string") out.push(node);
  else if (typeof out[last] === "string") out[last] += node;
  else if (node) out.push(node);
}

interface Found {
  readonly nodes: Inline[];
  readonly length: number;
}

interface Here {
  readonly at: number;
  readonly live: boolean;
  readonly depth: number;
}

/** What begins at `at`, or undefined when it is a plain character. */
function read(text: string, { at, live, depth }: Here): Found | undefined {
  let found: RegExpExecArray | null;
  const is = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return found = pattern.exec(text);
  };
  const take = (...nodes: Inline[]): Found => ({ nodes, length: found![0].length });
  const inner = (open = false) => inline(found![2]!, open, depth + 1);
  const inWord = /\w/.test(text[at - 1] ?? "");
  if (is(ESCAPE)) return take(found![1]!);
  if (is(CODE)) return take({ tag: "code", kids: [found![2]!.trim()] });
  if (is(LINK)) return take(...linkOf(found!, depth));
  if (is(BREAK)) return take({ tag: "br", kids: [] });
  if (!inWord && is(BARE)) return bare(found![0]);
  if (text[at] === "_" && inWord) return undefined;
  if (is(STRONG)) return take({ tag: found![1] === "~~" ? "del" : "strong", kids: inner() });
  if (is(EM)) return take({ tag: "em", kids: inner() });
  if (!live) return undefined;
  if (is(OPEN_LINK)) return take(found![1]!);
  if (!is(OPEN)) return undefined;
  const code = found![1] !== "**";
  return take({ tag: code ? "code" : "strong", kids: code ? [found![2]!] : inner(true) });
}

function bare(match: string): Found {
  const url = match.replace(/[.,:;!?*_~)\]}]+$/, "");
  return { nodes: linkTo(url, [url]), length: url.length };
}

/** An image is its alternative text, and a node of its own so that a permitted one can be shown. */
function linkOf([all, label, url]: RegExpExecArray, depth: number): Inline[] {
  if (all[0] !== "!") return linkTo(url!, inline(label!, false, depth + 1));
  const href = safeUrl(url!);
  return href && /^http/.test(href) ? [{ tag: "img", href, kids: [label!] }] : [label!];
}

function linkTo(url: string, kids: Inline[]): Inline[] {
  const href = safeUrl(url);
  return href ? [{ tag: "a", href, kids }] : kids;
}
