import { type ChangeObject, diffWordsWithSpace } from "diff";

/** A part of a text; `changed` if the other text does not have it. */
export interface MarkedPart {
  text: string;
  changed: boolean;
}

/** Longer texts take too long to compare word by word, milliseconds. */
const TIMEOUT_MS = 200;

/** The words of both texts, with those that only one of them has marked. */
export function markChanges(
  before: string,
  after: string,
): { before: MarkedPart[]; after: MarkedPart[] } {
  const parts = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  if (parts === undefined) {
    const whole = (text: string) => [{ text, changed: before !== after }];
    return { before: whole(before), after: whole(after) };
  }
  const side = (isOther: (part: ChangeObject<string>) => boolean | undefined) =>
    parts.filter((part) => !isOther(part)).map(({ value, added, removed }) => ({
      text: value,
      changed: (added ?? false) || (removed ?? false),
    }));
  return { before: side(({ added }) => added), after: side(({ removed }) => removed) };
}
