import { z } from "zod";

/**
 * Any JSON value. One shared object, so that the API document defines it once, as any value: client
 * generators cannot handle recursive types.
 */
export const jsonValueSchema = z.json();

export const countSchema = z.int().nonnegative();
export const usdSchema = z.number().nonnegative();

export const nextCursorSchema = z.string().optional()
  .describe("The `cursor` of the next page; absent on the last.");

export function pageSchema<T extends z.ZodType>(item: T, description: string) {
  return z.object({ data: z.array(item).describe(description), nextCursor: nextCursorSchema });
}
