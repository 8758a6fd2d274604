/**
 * Parses the text inside a block: emphasis, code, links and images, in one pass from left to right.
 * As in CommonMark's algorithm, possible openers wait on a short stack for their end, so the time is
 * linear in the length of the text. A test proves that each pattern is linear, too.
 */
import type { Inline } from "./markdown_tree.ts";

/** An escape, or anything else that may be syntax. */
const TOKEN =
  /\\([!-/:-@[-`{-~])|`+|\*{1,3}|_{1,3}|~~|!?\[|]|<br ?\/?>|\n|\bhttps?:\/\/[^\s<>"'\]`\\|]*[^\s!"'),.:;<>?*[-`{-~]/g;
/** Code up to the next backtick. Between two or more backticks, single ones are part of the code. */
const CODE = /`([^`]+)(`+)/y;
const CODE_IN_TWO = /``((?:`?[^`])+)(`+)/y;
/** The end of a link. No part of it may contain the beginning of another end. */
const TARGET = /]\(<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?: [^()\n]*)?\)/y;
/** An incomplete link target, and trailing delimiters that nothing follows yet. */
const OPEN_TARGET = /](\([^()]*)?$/;
const BEFORE_MARKS = /^[^]*[^*_`~![]|/;
/** Only the newest openers count: this bounds the depth of the tree and the time to find one. */
const MAX_OPENERS = 9;

/** A delimiter that begins emphasis or a link if its end follows. */
interface Opener {
  readonly mark: string;
  /** Index among the nodes, where the mark is text until then. */
  readonly place: number;
  /** Index in the source after the mark. */
  readonly inside: number;
  /** Characters of the mark that no end has used. */
  remaining: number;
}

/**
 * `live`: more text may follow, so what is open at the end counts as closed. The helpers are closures:
 * sharing the parser's state as an object would cost 90 bytes that the bundle does not have.
 */
export function parseInline(text: string, live = false): Inline[] {
  if (live) [text] = BEFORE_MARKS.exec(text.replace(OPEN_TARGET, ""))!;
  const nodes: Inline[] = [];
  const openers: Opener[] = [];
  let done = 0;
  const rest = () => text.slice(done, done = text.length);
  const find = (mark: string) => openers.findLastIndex((opener) => opener.mark === mark);
  const open = (word: string) => {
    const place = nodes.push(word) - 1;
    const opener = { mark: word.at(-1)!, place, inside: done, remaining: word.length };
    if (openers.push(opener) > MAX_OPENERS) openers.shift();
  };
  /** Makes one node of everything after an opener. */
  const wrap = (at: number, size: number) => {
    const opener = openers[at]!;
    const { mark, place } = opener;
    const kids = mergeStrings(nodes.splice(place + 1));
    nodes[place] = mark.repeat(opener.remaining -= size);
    nodes.push({ tag: mark === "~" ? "del" : size > 1 ? "strong" : "em", kids });
    openers.length = opener.remaining ? at + 1 : at;
  };
  const link = (url: string, kids: Inline[], tag: "a" | "img" = "a") => {
    const href = safeUrl(url);
    const words = kids.flatMap((kid) =>
      typeof kid !== "string" && kid.tag === "a" ? kid.kids : kid
    );
    if (href) nodes.push({ tag, href, kids: words });
    else for (const kid of kids) nodes.push(kid);
  };
  const code = (mark: string, index: number) => {
    const pattern = mark[1] ? CODE_IN_TWO : CODE;
    pattern.lastIndex = Math.max(index, done - 2);
    const [, inner, end] = pattern.exec(text) ?? [];
    if (end === mark) done = pattern.lastIndex;
    const words = end === mark ? inner!.trim() : live && /\S/.test(text[done]!) ? rest() : "";
    nodes.push(end === mark || words ? { tag: "code", kids: [words] } : mark);
  };
  const bracket = (index: number) => {
    const at = find("[");
    const opener = openers[at];
    TARGET.lastIndex = index;
    const target = TARGET.exec(text);
    if (opener && target) {
      const kids = mergeStrings(nodes.splice(opener.place + 1));
      done = TARGET.lastIndex;
      openers.length = at;
      const url = target[1]!;
      if (nodes.pop() === "[") link(url, kids);
      else link(url, [text.slice(opener.inside, index)], /^http/.test(url) ? "img" : "a");
    } else {
      nodes.push("]");
      if (opener) openers.splice(at, 1);
    }
  };
  const delimiter = (word: string, before = " ") => {
    const mark = word[0]!;
    let size = word.length;
    const after = text[done] ?? " ";
    const inWord = (letter: string) => (mark === "_" ? /[\p{L}\d]/u : /\w/).test(letter);
    const ends = /\S/.test(before) && !((mark === "_" || size < 2) && inWord(after));
    for (let at; ends && size && (at = find(mark)) >= 0;) {
      const used = Math.min(size, openers[at]!.remaining, 2);
      wrap(at, used);
      size -= used;
    }
    word = mark.repeat(size);
    if (word && /\S/.test(after) && !(mark === "_" && inWord(before))) open(word);
    else nodes.push(word);
  };
  for (let found; TOKEN.lastIndex = done, found = TOKEN.exec(text);) {
    const { index, 0: word, 1: escaped } = found;
    const mark = word.at(-1)!;
    nodes.push(text.slice(done, index));
    done = TOKEN.lastIndex;
    if (escaped) nodes.push(escaped);
    else if (mark === "`") code(word, index);
    else if (mark === "[") open(word);
    else if (mark === "]") bracket(index);
    else if (/[*_~]/.test(mark)) delimiter(word, text[index - 1]);
    else if (/[>\n]/.test(mark)) nodes.push({ tag: "br", kids: [] });
    else link(word, [word]);
  }
  nodes.push(rest());
  for (let at = openers.length; live && at--;) {
    const { mark, place, remaining } = openers[at]!;
    if (mark === "[") nodes[place] = "";
    else if (mark === "*" && remaining > 1) wrap(at, 2);
  }
  return mergeStrings(nodes);
}

/** Merges neighboring strings. */
function mergeStrings(parts: Inline[]): Inline[] {
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
 * An http(s) or mailto address as the browser reads it. Undefined for anything else, and for an
 * address with a user name, which only serves to disguise its host.
 */
export function safeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { href, protocol, username } = new URL(text);
  return /^(https?|mailto):$/.test(protocol) && !username ? href : undefined;
}
