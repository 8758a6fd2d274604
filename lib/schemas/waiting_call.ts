import { z } from "zod";
import { CALL_BOUNDS, FIELD_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { jsonValueSchema } from "./value_schemas.ts";

/** Whom a call waits for. */
export const WAITS_FOR = ["visitor", "person", "page"] as const;
export type WaitsFor = typeof WAITS_FOR[number];

/** Body of `POST /v1/chat/runs/:runId/calls/:n/decision`. */
export const callDecisionSchema = z.strictObject({
  approve: z.boolean().describe("Whether the call may be made."),
});

const error = plainText(z.string().min(1).max(CALL_BOUNDS.errorLength))
  .describe("Why there is no output, for the model.");

/** Body of `POST /v1/chat/runs/:runId/calls/:n/output`. */
export const callOutputSchema = z.union([
  z.strictObject({
    output: jsonValueSchema.describe("Must match the tool's `output`; at most 256 KiB as JSON."),
  }),
  z.strictObject({ error }),
]);

/** What a waiting call is answered with. */
export type CallReply = z.infer<typeof callDecisionSchema> | z.infer<typeof callOutputSchema>;

const callId = z.string().toLowerCase()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[1-9]\d{0,8}$/, "must be <runId>.<n>")
  .describe("The id of its `tool_call` frame: `<runId>.<n>`.");

const [{ shape: withOutput }, { shape: withError }] = callOutputSchema.options;
const answeredCall = z.union([
  z.strictObject({ id: callId, ...callDecisionSchema.shape }),
  z.strictObject({ id: callId, ...withOutput }),
  z.strictObject({ id: callId, ...withError }),
]);

/**
 * Body of `POST /v1/chat/stream` that answers calls in place of a message, for formats whose streams end at
 * a call of the page: it starts no run, and its stream is the rest of the run's.
 */
export const answeredCallsSchema = z.strictObject({
  agentId: z.uuid().toLowerCase(),
  sessionToken: z.string().min(B.sessionTokenMin).max(B.sessionTokenMax).optional(),
  calls: z.array(answeredCall).min(1).max(CALL_BOUNDS.answers)
    .refine((calls) => new Set(calls.map(({ id }) => runOf(id))).size === 1, "must be of one run"),
});
export type AnsweredCalls = z.infer<typeof answeredCallsSchema>;

function runOf(id: string): string {
  return id.slice(0, id.indexOf("."));
}

/** The run and the number of a call. */
export function parseCallId(id: string): { runId: string; n: number } {
  return { runId: runOf(id), n: Number(id.slice(id.indexOf(".") + 1)) };
}

/** By their names in the API document. */
export const WAITING_CALL_SCHEMAS = {
  CallDecision: callDecisionSchema,
  CallOutput: callOutputSchema,
};
