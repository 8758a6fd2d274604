import { z } from "zod";
import { canaryArmSchema, RUN_FINISHES } from "../runs/run_record.ts";
import { tokenPartsSchema } from "../runs/token_parts.ts";
import { messageAttachmentSchema } from "../../schemas/attachment.ts";
import { STREAM_ERROR_CODES } from "../../schemas/error_codes.ts";
import { jsonValueSchema } from "../../schemas/value_schemas.ts";
import { CHAT_PROTOCOLS } from "../../schemas/chat_protocol.ts";
import { CONVERSATION_SOURCES } from "../../schemas/conversation_source.ts";
import { RATINGS } from "../../schemas/rating.ts";
import { guardrailHitSchema } from "../../schemas/guardrails.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { bytesSchema } from "../values/chunks.ts";
import { frameLayoutSchema } from "./frame_layout.ts";
import { visitorRefSchema } from "../visitors/visitor_ids.ts";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { ConversationName } from "../keys/keys.ts";

const count = z.int().nonnegative();

/** A rated run of a conversation, without what the visitor wrote. */
const ratedRunSchema = z.object({
  runId: z.string(),
  rating: z.enum(RATINGS),
  commented: z.literal(true).optional(),
  /** The run's end of life. */
  exp: z.int(),
});
export type RatedRun = z.infer<typeof ratedRunSchema>;

/** A run that replaces another: its number, and that of the run it follows; -1 if it is the first. */
const branchSchema = z.tuple([count, z.int().min(-1)]);
export type Branch = z.infer<typeof branchSchema>;

/** A tool call of a run whose process died: the client never received an answer about it. */
const interruptedCallSchema = z.object({
  /** The tool's name. */
  name: z.string(),
  at: z.int(),
  /** It succeeded; otherwise its outcome is unknown. */
  done: z.literal(true).optional(),
});
export type InterruptedCall = z.infer<typeof interruptedCallSchema>;

/** A conversation without its transcripts. Times in milliseconds, `cost` in micro-USD. */
const conversationSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  agentId: z.string(),
  /** As in `ConversationName`. */
  page: z.string(),
  /** The page's origin; absent for calls with an API key. */
  origin: z.string().optional(),
  /** The visitor of its sessions, if they named one. */
  visitor: visitorRefSchema.optional(),
  /** Absent in records of early releases. */
  source: z.enum(CONVERSATION_SOURCES).optional(),
  /** Sealed: what its visitor called it, or its first question. Absent without a visitor and a choice. */
  title: bytesSchema.optional(),
  /** The title is the first question, and follows it if that is changed. */
  autoTitle: z.literal(true).optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  runs: count,
  /** Questions and answers; only with a visitor. */
  messages: count.optional(),
  cost: count,
  /** When a run last ended with each finish other than `stop`. */
  ended: z.partialRecord(z.enum(RUN_FINISHES), z.int()).optional(),
  /** The last runs that were rated: the list is filtered by them. */
  rated: z.array(ratedRunSchema).optional(),
  /** The latest ones, which the model is informed of. */
  interruptedCalls: z.array(interruptedCallSchema).optional(),
  /** The canary during which the conversation began, and the version that it got. */
  canary: canaryArmSchema.optional(),
  /** The number of the next run. */
  next: count,
  /** Where runs that replace others continue from. Absent if there are none. */
  branches: z.array(branchSchema).optional(),
  /** Keyed digests of the latest messages: a client's repetitions are not stored again. */
  digests: z.array(z.string()).optional(),
  /** For each digest, the number of the run that has stored its message; -1 if unknown. */
  digestRuns: z.array(z.int().min(-1)).optional(),
  /** Digests without a key, of early releases. */
  known: z.array(z.string()),
  /** Active runs of a deleted conversation of the same name: they are not added to this one. */
  gone: z.array(z.string()).optional(),
  /** The end of life, whatever the store still holds. */
  exp: z.int(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/**
 * A deleted conversation with active runs, which must not recreate it. Lists their ids, because clocks
 * of processes differ.
 */
const tombstoneSchema = z.object({ v: z.literal(1), gone: z.array(z.string()) });
export type ConversationTombstone = z.infer<typeof tombstoneSchema>;

export const conversationHeadSchema = z.union([conversationSchema, tombstoneSchema]);
export type ConversationHead = z.infer<typeof conversationHeadSchema>;

/** One run of a conversation. */
export const runRowSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  agentVersion: z.int().positive(),
  startedAt: z.int(),
  endedAt: z.int(),
  provider: z.enum(PROVIDER_IDS),
  model: z.string(),
  inputTokens: count,
  outputTokens: count,
  ...tokenPartsSchema.omit({ cacheSavings: true }).shape,
  cost: count,
  finishReason: z.enum(RUN_FINISHES),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  /** Which guardrails acted; without the text. */
  guardrails: z.array(guardrailHitSchema).optional(),
  /** The format of the request; absent for our own. */
  protocol: z.enum(CHAT_PROTOCOLS).optional(),
  /** The id of the run that it replaces. */
  replaces: z.string().optional(),
  /** The encrypted transcript, if short; a longer one is stored in chunks. */
  words: bytesSchema.optional(),
  /** The number of chunks, and the transcript's size before encryption. */
  parts: count,
  bytes: count,
  /** Counted in the tenant's usage; absent in rows of early releases. */
  counted: z.literal(true).optional(),
  /** The shard of that usage, if not 0. */
  shard: count.optional(),
  /** The end of life, whatever the store still holds. */
  exp: z.int(),
});
export type RunRow = z.infer<typeof runRowSchema>;

/** A message of a request, as it is stored. */
export const storedMessageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  attachments: z.array(messageAttachmentSchema).optional(),
});
export type StoredMessage = z.infer<typeof storedMessageSchema>;

const messageSchema = storedMessageSchema.extend({
  /** Sent by the client as an earlier message, without proof. */
  claimed: z.boolean(),
});

/** The messages and tool calls of one run. */
export const runTranscriptSchema = z.object({
  /** The client's messages: claimed ones first, then the one that was answered. */
  messages: z.array(messageSchema),
  /** The assistant's answer. */
  text: z.string(),
  tools: z.array(z.object({
    name: z.string(),
    args: jsonValueSchema,
    /** Absent if the run ended earlier. */
    output: jsonValueSchema.optional(),
  })),
  /** The beginning of what the models thought, as far as their providers show it. */
  reasoning: z.string().optional(),
  /** How the frames of the answer are made of `text` and `tools`; absent in early releases. */
  layout: frameLayoutSchema.optional(),
});
export type RunTranscript = z.infer<typeof runTranscriptSchema>;

/** True unless the conversation is missing, deleted or expired. */
export function isReadable(head: ConversationHead | undefined, now: number): head is Conversation {
  return head !== undefined && "id" in head && head.exp > now;
}

/**
 * The name of an agent's conversation on a page, or with an API key. Each visitor has conversations of
 * its own: one that sends the id of another's conversation neither reads nor continues it.
 */
export async function conversationName(
  id: string,
  of: {
    tenant: string;
    agentId: string;
    origin?: string | undefined;
    /** The visitor's hash. */
    visitor?: string | undefined;
  },
): Promise<ConversationName> {
  const { tenant, agentId } = of;
  return { tenant, id, agentId, page: await conversationPage(of) };
}

/** The `page` of a `ConversationName`, for an origin and the hash of a visitor. */
export async function conversationPage(
  { origin, visitor }: { origin?: string | undefined; visitor?: string | undefined },
): Promise<string> {
  // Hashed, because an origin may be longer than a key. An origin has no line break.
  const place = visitor === undefined ? origin : `${origin ?? ""}\n${visitor}`;
  return place === undefined ? "" : await sha256(place);
}
