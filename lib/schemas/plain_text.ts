import type { z } from "zod";

const LONE_SURROGATE = "holds half of a character (a lone surrogate)";
const NUL_CHARACTER = "holds a NUL character";

/** The code of the issue, whichever of the two it is and wherever it is found. */
export const NOT_PLAIN_TEXT = "not_plain_text";

/**
 * Text that any vendor and any store takes: whole characters, no NUL. Half a surrogate pair cannot be
 * written as UTF-8 and would come back as something else.
 */
export function plainText(text: z.ZodString): z.ZodString {
  return text.superRefine((value, ctx) => {
    const message = plainTextIssue(value);
    if (message === undefined) return;
    ctx.addIssue({ code: "custom", message, params: { code: NOT_PLAIN_TEXT } });
  });
}

/** What keeps a text from being plain, in words; `undefined` when nothing does. */
export function plainTextIssue(text: string): string | undefined {
  if (!isWhole(text)) return LONE_SURROGATE;
  return isWithoutNul(text) ? undefined : NUL_CHARACTER;
}

function isWhole(text: string): boolean {
  return text.isWellFormed();
}

function isWithoutNul(text: string): boolean {
  return !text.includes("\0");
}
