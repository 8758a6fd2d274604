import { isAsciiAlphanumeric, isAsciiLetter } from "../word_boundary.ts";
import { type FoldedText, NO_CODE } from "../folded_text.ts";

const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;
const MAX_LABEL = 63;
const [AT, DOT, DASH] = [64, 46, 45];
const GIT = "git";
/** `.`, `-`, `_`, `+` and `%`; the others of RFC 5322 delimit addresses more often than they are in one. */
const LOCAL_PUNCTUATION: ReadonlySet<number> = new Set([46, 45, 95, 43, 37]);
/** Not domains, but names of files such as `logo@2x.png`. */
const FILE_ENDINGS: ReadonlySet<string> = new Set([
  ...["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "css", "js", "ts", "json", "html"],
]);

/**
 * The end of an e-mail address that starts at `i`; -1 if none does. Of one whose first part was already
 * shown, such as one that two steps share, it finds the rest.
 */
export function findEmail(text: FoldedText, i: number): number {
  const first = text.at(i);
  const follows = isLocal(text.before(i));
  if (first === AT) {
    const isRest = follows && !isGitUser(text, { from: i - GIT.length, to: i });
    return isRest ? findDomainEnd(text, i + 1) : -1;
  }
  if (!isLocal(first) || follows) return -1;
  let j = i;
  while (isLocal(text.at(j))) {
    if (++j - i > MAX_LOCAL) return -1;
  }
  if (text.at(j) !== AT || isGitUser(text, { from: i, to: j })) return -1;
  return findDomainEnd(text, j + 1);
}

/** The end of the longest domain at `start` that has a top-level domain; -1 without one. */
function findDomainEnd(text: FoldedText, start: number): number {
  let found = -1;
  let labels = 0;
  let isLettersOnly = true;
  for (let j = start, label = start;;) {
    const code = text.at(j);
    if (isAsciiAlphanumeric(code) || code === DASH) {
      // After the letters of a top-level domain, something else may follow without a space.
      if (isLettersOnly && !isAsciiLetter(code)) {
        if (isTopLevel(text, { from: label, to: j, labels })) found = j;
        isLettersOnly = false;
      }
      if (++j - start > MAX_DOMAIN) return found;
      continue;
    }
    if (j === label) return found;
    if (isTopLevel(text, { from: label, to: j, labels })) found = j;
    if (code !== DOT) return found;
    labels++;
    label = ++j;
    isLettersOnly = true;
  }
}

/** Whether the label after `labels` others ends a domain. */
function isTopLevel(
  text: FoldedText,
  { labels, ...range }: { from: number; to: number; labels: number },
): boolean {
  const length = range.to - range.from;
  if (labels === 0 || length < 2 || length > MAX_LABEL) return false;
  const label = textOf(text, range);
  if (label.startsWith("xn--")) return true;
  return /^[a-z]+$/.test(label) && !FILE_ENDINGS.has(label);
}

/** `git@host` names a server's account in every clone command. */
function isGitUser(text: FoldedText, range: { from: number; to: number }): boolean {
  return textOf(text, range) === GIT && !isLocal(text.before(range.from));
}

function textOf(text: FoldedText, { from, to }: { from: number; to: number }): string {
  return String.fromCharCode(...Array.from({ length: to - from }, (_, n) => text.at(from + n)));
}

function isLocal(code: number): boolean {
  return code !== NO_CODE && (isAsciiAlphanumeric(code) || LOCAL_PUNCTUATION.has(code));
}
