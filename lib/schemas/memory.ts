import { z } from "zod";
import { INVISIBLE, plainText } from "./plain_text.ts";

export const MEMORY_BOUNDS = {
  /** Of one visitor with one agent. */
  facts: 50,
  factLength: 300,
  instructions: 500,
} as const;

/** The tools' names, reserved in agents with `memory`. */
export const REMEMBER = "remember";
export const FORGET = "forget";

/** The optional field `memory` of an agent. */
export const memorySchema = z.strictObject({
  enabled: z.boolean().describe(
    "Whether the model may keep facts about the visitor of a session that was minted with one. It " +
      "adds the tools `remember` and `forget`, so none of `tools` may have these names.",
  ),
  instructions: plainText(z.string().min(1).max(MEMORY_BOUNDS.instructions)).optional()
    .describe("For the model: what is worth remembering, and what is not."),
}).describe(
  "What the agent remembers about a visitor: at most 50 facts of 300 characters, which the visitor can " +
    "read, change and delete. Off by default; requires stored conversations.",
);
export type MemorySettings = z.infer<typeof memorySchema>;

const factText = plainText(
  z.string().overwrite(withoutInvisible).trim().min(1).max(MEMORY_BOUNDS.factLength),
).refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), "must not contain control characters");

/**
 * A fact is one line of at most 300 characters that any provider accepts, without what would hide words
 * from the people who read it. JSON Schema counts code points, and we code units.
 */
export function toFactText(text: string): string {
  const line = withoutInvisible(text.toWellFormed()).replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.slice(0, MEMORY_BOUNDS.factLength).toWellFormed();
}

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

export const factSchema = z.object({
  id: z.uuid(),
  text: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Fact = z.infer<typeof factSchema>;

/** Answer of `GET /v1/chat/memory`. */
export const factListSchema = z.object({
  facts: z.array(factSchema).max(MEMORY_BOUNDS.facts).describe("Oldest first."),
}).describe("What an agent remembers about a visitor.");

/** Body of `PATCH /v1/chat/memory/:id`. */
export const factBodySchema = z.strictObject({ text: factText });

/** By their names in the API document. */
export const MEMORY_SCHEMAS = {
  Memory: memorySchema,
  Fact: factSchema,
  FactList: factListSchema,
  FactBody: factBodySchema,
};
