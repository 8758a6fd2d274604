import type { z } from "zod";

/**
 * Text that any vendor and any store takes: whole characters, no NUL. Half a surrogate pair cannot be
 * written as UTF-8 and would come back as something else.
 */
export function plainText(text: z.ZodString): z.ZodString {
  return text
    .refine((value) => value.isWellFormed(), "holds half of a character (a lone surrogate)")
    .refine((value) => !value.includes("\0"), "holds a NUL character");
}
