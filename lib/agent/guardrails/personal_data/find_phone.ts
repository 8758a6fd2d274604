import { isDigit, isFraction, isWordEnd, isWordStart } from "../word_boundary.ts";
import { type FoldedText, NO_CODE } from "../folded_text.ts";
import { isLikeTable, isPhoneNumber, MAX_PHONE_DIGITS, type PhoneShape } from "./phone_shape.ts";

const [SPACE, PLUS, OPEN] = [32, 43, 40];
const MAX_SEPARATOR = 3;
/** Before a number: it is a part of something else, such as an amount, an id or an address. */
const FOREIGN_BEFORE: ReadonlySet<number> = codesOf("+-_/=#$€£¥%&@\\");
/** After a number: an amount or a share. */
const FOREIGN_AFTER: ReadonlySet<number> = codesOf("€$£¥%_=@");
/** Before a digit, they continue an id, a time or an amount. */
const CONTINUING: ReadonlySet<number> = codesOf(":-/.,");
const SEPARATORS: ReadonlySet<number> = codesOf(" -./()");

/**
 * The end of a phone number that starts at `i`; -1 if none does. Numbers are international (`+49 …`,
 * `0049 …`), or national ones that are written like a phone number: a leading 0 and groups, or the North
 * American groups. Digits without any of that may be anything.
 */
export function findPhone(text: FoldedText, i: number): number {
  const first = text.at(i);
  if (first !== PLUS && first !== OPEN && !isDigit(first)) return -1;
  const [previous, beforePrevious] = [text.before(i), text.before(i - 1)];
  if (FOREIGN_BEFORE.has(previous) || !isWordStart(previous, 48)) return -1;
  if (first !== PLUS && isFraction(previous, beforePrevious)) return -1;
  // Within a row of numbers, only a plus begins another one.
  if (first !== PLUS && previous === SPACE && isDigit(beforePrevious)) return -1;
  const shape: PhoneShape = { plus: first === PLUS, groups: [], separators: [] };
  let found = -1;
  let j = shape.plus ? i + 1 : i;
  for (;;) {
    const separator = readSeparator(text, j);
    if (separator === undefined) return found;
    shape.separators.push(separator);
    j += separator.length;
    const start = j;
    let digits = "";
    while (isDigit(text.at(j))) {
      digits += String.fromCharCode(text.at(j++));
      if (digits.length > MAX_PHONE_DIGITS) return found;
    }
    if (j === start) return found;
    shape.groups.push(digits);
    if (total(shape) > MAX_PHONE_DIGITS) return found;
    if (
      isPhoneNumber(shape) && endsNumber(shape, { text, end: j }) &&
      !continuesTable(shape, { text, end: j })
    ) {
      found = j;
    }
  }
}

/** Behind the digits that a number may end with. */
interface Place {
  text: FoldedText;
  end: number;
}

/** What stands between two groups: at most three characters, none of them twice. */
function readSeparator(text: FoldedText, start: number): string | undefined {
  let separator = "";
  for (let j = start; SEPARATORS.has(text.at(j)); j++) {
    const char = String.fromCharCode(text.at(j));
    if (separator.length === MAX_SEPARATOR || (separator.includes(char) && char !== " ")) {
      return undefined;
    }
    separator += char;
  }
  return separator;
}

/** Whether a number may end here: more digits, a unit or a time would make it something else. */
function endsNumber({ plus }: PhoneShape, { text, end }: Place): boolean {
  const next = text.at(end);
  if (next === NO_CODE) return true;
  if (CONTINUING.has(next)) return !isDigit(text.at(end + 1));
  if (FOREIGN_AFTER.has(next)) return false;
  // After a plus and a country code, a letter does not make it anything else.
  return plus || isWordEnd(48, next);
}

function continuesTable(shape: PhoneShape, { text, end }: Place): boolean {
  return isLikeTable(shape) && text.at(end) === SPACE && isDigit(text.at(end + 1));
}

function total({ groups }: PhoneShape): number {
  return groups.reduce((sum, group) => sum + group.length, 0);
}

function codesOf(text: string): Set<number> {
  return new Set(Array.from(text, (char) => char.codePointAt(0)!));
}
