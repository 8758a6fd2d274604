import { z } from "zod";
import { jsonValueSchema } from "./value_schemas.ts";

/** How much a model reasons before it answers, in the words that the API uses. */
export const REASONING_EFFORTS = ["minimal", "low", "medium", "high"] as const;
export type ReasoningEffort = typeof REASONING_EFFORTS[number];

/** The most that every provider accepts: OpenAI's limit is four. */
export const MAX_STOP_SEQUENCES = 4;
export const MAX_STOP_SEQUENCE_LENGTH = 64;
export const MAX_RESPONSE_SCHEMA_BYTES = 16_384;
/** How long a model may take to begin its response, milliseconds. */
export const MODEL_TIMEOUT_BOUNDS = { min: 1_000, max: 600_000 } as const;

export const reasoningEffortSchema = z.enum(REASONING_EFFORTS).describe(
  "How much the model reasons before it answers, in the form that its provider understands; omitted " +
    "for models that do not reason. Reasoning counts as output, within `maxOutputTokens`.",
);

export const topPSchema = z.number().min(0).max(1).describe(
  "Nucleus sampling: only the most likely tokens of this total probability. Omitted for models without " +
    "it, and where a provider allows either it or `temperature`.",
);

/** Anthropic rejects sequences of only white space. */
const stopSequence = z.string().min(1).max(MAX_STOP_SEQUENCE_LENGTH)
  .refine((text) => text.trim() !== "", "must not be only white space");

export const stopSequencesSchema = z.array(stopSequence).min(1).max(MAX_STOP_SEQUENCES).describe(
  "The answer ends before the first of these texts. Omitted for models without stop sequences.",
);

/** What the answer of an agent must be valid against. */
export const responseSchemaSchema = z.record(z.string(), jsonValueSchema)
  .superRefine((schema, ctx) => {
    if (new TextEncoder().encode(JSON.stringify(schema)).length > MAX_RESPONSE_SCHEMA_BYTES) {
      ctx.addIssue({ code: "custom", message: "must be at most 16 KiB" });
    }
  })
  .describe(
    "JSON Schema of the answers, at most 16 KiB. An answer is then one JSON text that is valid against " +
      "it, sent whole once it is complete. A model whose answer is not valid is asked once more; if that " +
      "fails too, the run ends with the error `provider_error`.",
  );
