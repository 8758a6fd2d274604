import { z } from "zod";
import { FINISH_REASONS, STREAM_ERROR_CODES } from "./error_codes.ts";
import { jsonValueSchema } from "./value_schemas.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

/**
 * The frames of `POST /v1/chat/stream`, as one closed union: the protocol. `start` is first, `done`
 * last and exactly once. Source: specification section 6, CONTRACT section 6.
 */
export const frameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("start"),
    requestId: z.string(),
    runId: z.uuid(),
    provider: z.enum(PROVIDER_IDS),
    model: z.string(),
    conversationId: z.uuid(),
    /** Set for a message to a person, which no model answers. */
    handoff: z.enum(["waiting", "taken"]).optional(),
  }),
  z.strictObject({ type: z.literal("delta"), text: z.string() }),
  z.strictObject({
    type: z.literal("tool_call"),
    name: z.string(),
    args: jsonValueSchema,
    /** The tool's `progress`, for people. */
    progress: z.string().optional(),
    /** The tool's name in its owner's words. */
    title: z.string().optional(),
    /** The call waits; then the next two are there as well. */
    pending: z.literal(true).optional(),
    waitsFor: z.enum(["visitor", "person", "page"]).optional(),
    expiresAt: z.iso.datetime().optional(),
  }),
  z.strictObject({
    type: z.literal("tool_result"),
    name: z.string(),
    output: jsonValueSchema,
    /** Number of its `tool_call`, if several calls may be open. */
    call: z.int().positive().optional(),
  }),
  z.strictObject({
    type: z.literal("usage"),
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    costUsd: z.number().nonnegative(),
  }),
  z.strictObject({
    type: z.literal("error"),
    code: z.enum(STREAM_ERROR_CODES),
    message: z.string(),
  }),
  z.strictObject({ type: z.literal("done"), finishReason: z.enum(FINISH_REASONS) }),
]);

export type Frame = z.infer<typeof frameSchema>;
export type FrameOf<T extends Frame["type"]> = Extract<Frame, { type: T }>;
