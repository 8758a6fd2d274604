import type { z } from "zod";

const LONE_SURROGATE = "contains a lone surrogate";
const NUL_CHARACTER = "contains a NUL character";

/** The issue code for lone surrogates and NUL. */
export const NOT_PLAIN_TEXT = "not_plain_text";

/** Text that every provider and store accepts; UTF-8 cannot encode lone surrogates. */
export function plainText(text: z.ZodString): z.ZodString {
  return text.superRefine((value, ctx) => {
    const message = plainTextIssue(value);
    if (message === undefined) return;
    ctx.addIssue({ code: "custom", message, params: { code: NOT_PLAIN_TEXT } });
  });
}

/** Describes why a text is not plain; `undefined` if it is. */
export function plainTextIssue(text: string): string | undefined {
  if (!text.isWellFormed()) return LONE_SURROGATE;
  return text.includes("\0") ? NUL_CHARACTER : undefined;
}
