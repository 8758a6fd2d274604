/** The numbers of the features' texts: an id is a feature's number and the index of a string in its line. */

/** More than any feature has. */
const MAX_STRINGS = 32;

export const FEEDBACK = 0;
export const ANSWER = MAX_STRINGS;
export const MENU_SHEET = 2 * MAX_STRINGS;
export const BRANCH = 3 * MAX_STRINGS;
export const VOICE = 4 * MAX_STRINGS;
export const CONVERSATIONS = 5 * MAX_STRINGS;
export const LIMITS = 6 * MAX_STRINGS;
export const SWITCHES = 7 * MAX_STRINGS;
export const ATTACHMENTS = 8 * MAX_STRINGS;
export const HANDOFF = 9 * MAX_STRINGS;
export const CALLS = 10 * MAX_STRINGS;
export const MEMORY = 11 * MAX_STRINGS;

/** A string of an extras' text, by its id. */
export function textOf(text: string, id: number): string {
  return text.split("\n")[id / MAX_STRINGS | 0]!.split("|")[id % MAX_STRINGS]!;
}
