import { z } from "zod";
import { messageAttachmentSchema } from "./attachment.ts";
import { CONVERSATION_TITLE_LENGTH } from "./limits.ts";
import { plainText } from "./plain_text.ts";
import { FINISH_REASONS } from "./error_codes.ts";
import {
  countSchema as count,
  nextCursorSchema as nextCursor,
  pageSchema,
} from "./value_schemas.ts";

/** A conversation as its visitor sees it: without cost, models, tools and prompts. */
export const ownConversationSchema = z.object({
  id: z.uuid().describe("To be sent as `conversationId`."),
  title: z.string().optional()
    .describe("The first question, cut at a word to 80 characters, or the chosen title."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When its last answer ended."),
  messageCount: count
    .describe("Questions and answers, with expired and replaced ones; without claimed messages."),
});

export const ownConversationPageSchema = pageSchema(
  ownConversationSchema,
  "Most recently active first.",
);

const citedSourceSchema = z.object({
  title: z.string(),
  url: z.string().optional().describe("Set if the title is an address."),
  used: z.literal(true).optional()
    .describe("Always `true`. Earlier releases also listed documents that were only found."),
  text: z.string().optional().describe("A passage that the answer draws on."),
});

export const ownMessageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  runId: z.uuid().describe("The run that the message belongs to."),
  createdAt: z.iso.datetime().describe("When the run started; of an answer, when it ended."),
  claimed: z.literal(true).optional()
    .describe("Sent by the client as an earlier message; the service has no record of it."),
  attachments: z.array(messageAttachmentSchema).optional()
    .describe("Of a question: the files that were sent with it."),
  sources: z.array(citedSourceSchema).optional()
    .describe("The documents that an answer draws on, each once."),
  finishReason: z.enum([...FINISH_REASONS, "interrupted"]).optional()
    .describe("Of an answer: anything but `stop` may have cut it short."),
  replaces: z.uuid().optional().describe(
    "The run that this message's run replaces: the answer was asked for again, or the question changed.",
  ),
  superseded: z.literal(true).optional().describe(
    "Not on the current path: the message's run was replaced, or it followed one that was.",
  ),
});

/** Answer of `GET /v1/chat/conversations/:id`. */
export const ownTranscriptSchema = ownConversationSchema.extend({
  messages: z.array(ownMessageSchema).describe(
    "The oldest first. Without those that are `superseded` they are the current path.",
  ),
  activeRunId: z.uuid().optional().describe(
    "The run whose answer is being written: its question is the last message, and " +
      "`GET /v1/chat/runs/{runId}/stream` has the answer. On the last page.",
  ),
  nextCursor,
});

/** Body of `PATCH /v1/chat/conversations/:id`. */
export const renameBodySchema = z.strictObject({
  title: plainText(z.string().trim().min(1).max(CONVERSATION_TITLE_LENGTH))
    .refine((title) => !/\p{Cc}/u.test(title), "must not contain control characters"),
});

export type OwnConversation = z.infer<typeof ownConversationSchema>;
export type OwnMessage = z.infer<typeof ownMessageSchema>;
export type OwnTranscript = z.infer<typeof ownTranscriptSchema>;

/** By their names in the API document. */
export const OWN_CONVERSATION_SCHEMAS = {
  OwnConversation: ownConversationSchema,
  OwnConversationPage: ownConversationPageSchema,
  OwnMessage: ownMessageSchema,
  OwnTranscript: ownTranscriptSchema,
  RenameConversationBody: renameBodySchema,
};
