import { z } from "zod";
import { ATTACHMENT_BOUNDS, FIELD_BOUNDS as B } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { PROVIDER_IDS } from "./provider_id.ts";

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: plainText(z.string().min(1).max(B.messageLength)),
  attachments: z.array(z.uuid().toLowerCase()).min(1).max(ATTACHMENT_BOUNDS.perMessage).optional()
    .describe(
      "Ids of `POST /v1/chat/attachments`, of the user's messages only. Repeat them when the message is " +
        "sent again as a part of the conversation.",
    ),
}).refine(({ role, attachments }) => role === "user" || attachments === undefined, {
  path: ["attachments"],
  message: "only messages of the user have attachments",
});
export { message as chatMessageSchema };
export type ChatMessage = z.infer<typeof message>;

/** Whether a message that replaces a run says in which conversation. */
export function namesConversation(
  body: { replaces?: string | undefined; conversationId?: string | undefined },
): boolean {
  return body.replaces === undefined || body.conversationId !== undefined;
}

export const CONVERSATION_MISSING = {
  path: ["replaces"],
  message: "needs the conversationId of that run",
};

/** Body of `POST /v1/chat/stream`. `sessionToken` is required on the widget path only. */
export const chatBodySchema = z.strictObject({
  agentId: z.uuid().toLowerCase(),
  sessionToken: z.string().min(B.sessionTokenMin).max(B.sessionTokenMax).optional()
    .describe("Must equal the `X-Service-Session` header; required with it."),
  messages: z.array(message).min(1).max(B.messages)
    .refine((list) => list.at(-1)?.role === "user", "the last message must be the user's")
    .describe("The whole conversation so far; the last message is the user's."),
  conversationId: z.uuid().toLowerCase().optional()
    .describe("Groups the stored runs; generated if omitted."),
  model: z.string().min(1).max(256).optional().describe("Overrides the agent's for this call."),
  provider: z.enum(PROVIDER_IDS).optional().describe("Overrides the agent's for this call."),
  temperature: z.number().min(0).max(2).optional()
    .describe("Limited to the provider's range; omitted for models without temperature."),
  maxOutputTokens: z.int().min(1).max(B.maxOutputTokens).optional()
    .describe("Tokens; fewer if the conversation leaves less of the model's context."),
  requestId: plainText(z.string().min(B.requestIdMin).max(B.requestIdMax)).optional()
    .describe("For correlation: the `start` frame repeats it."),
  replaces: z.uuid().toLowerCase().optional().describe(
    "The run whose answer this message asks for again, or whose question it changes. Must be a run of " +
      "`conversationId`. Send the messages before that run's question, then the question.",
  ),
}).refine(namesConversation, CONVERSATION_MISSING);
export type ChatBody = z.infer<typeof chatBodySchema>;
