import { z } from "zod";
import { CALL_BOUNDS } from "./limits.ts";
import { foreignContentSchema, ignored, MAX_FOREIGN_MESSAGES } from "./foreign_messages.ts";

const message = z.discriminatedUnion("role", [
  z.object({
    role: z.enum(["developer", "system", "assistant", "user"]),
    content: foreignContentSchema.nullish(),
  }),
  z.object({
    role: z.literal("tool"),
    toolCallId: z.string().nullish(),
    content: foreignContentSchema.nullish(),
    error: z.string().nullish(),
  }),
  z.object({ role: z.enum(["activity", "reasoning"]) }),
]);

/**
 * Body of `POST /v1/ag-ui/{agentId}`; early clients send `null` for what is absent. Source: package
 * `@ag-ui/core` 1.0, `RunAgentInput`.
 */
export const agUiInputSchema = z.object({
  threadId: z.string().min(1).max(256).describe("Groups stored runs."),
  runId: z.string().min(1).max(256).describe("The client's name for the run; repeated in events."),
  protocolVersion: z.string().nullish(),
  messages: z.array(message).min(1).max(MAX_FOREIGN_MESSAGES)
    .describe("The whole conversation; the last message is the user's."),
  tools: z.array(z.unknown()).max(256).nullish()
    .describe("Tools of the page. The agent does not know them: it runs its own tools."),
  context: z.array(z.unknown()).max(256).nullish().describe("Ignored."),
  state: ignored,
  forwardedProps: ignored,
  parentRunId: ignored,
  resume: z.array(z.object({
    interruptId: z.string(),
    status: z.enum(["resolved", "cancelled"]),
    payload: z.unknown(),
  })).max(CALL_BOUNDS.answers).nullish()
    .describe("Answers to the interrupts of a run that waits: `payload` is `{ approved }`."),
});
export type AgUiMessage = z.infer<typeof message>;
export type AgUiInput = z.infer<typeof agUiInputSchema>;
