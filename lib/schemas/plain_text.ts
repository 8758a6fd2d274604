import type { z } from "zod";

export const NOT_PLAIN_TEXT = "not_plain_text";

/**
 * Characters that people do not see, and that make a text read as another, such as directions and tags.
 * Emoji and some languages need the joiners and selectors.
 */
export const INVISIBLE = /(?![\u200c\u200d\ufe0e\ufe0f])\p{DI}/gu;

/** Text that every provider and store accepts; UTF-8 cannot encode lone surrogates. */
export function plainText(text: z.ZodString): z.ZodString {
  return text.superRefine((value, ctx) => {
    const message = plainTextIssue(value);
    if (message === undefined) return;
    ctx.addIssue({ code: "custom", message, params: { code: NOT_PLAIN_TEXT } });
  });
}

export function plainTextIssue(text: string): string | undefined {
  if (!text.isWellFormed()) return "contains a lone surrogate";
  return text.includes("\0") ? "contains a NUL character" : undefined;
}
