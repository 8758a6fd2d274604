import { z } from "zod";
import { RUN_FINISHES } from "../runs/run_record.ts";
import { STREAM_ERROR_CODES } from "../../schemas/error_codes.ts";
import { jsonValueSchema } from "../../schemas/json_value.ts";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { bytesSchema } from "../values/chunks.ts";
import { sha256 } from "../../platform/crypto/hashing.ts";
import type { ConversationName } from "../keys/keys.ts";

const count = z.int().nonnegative();

/** A conversation, without what was said in it. Times in milliseconds, `cost` in micro-USD. */
const conversationSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  agentId: z.string(),
  /** As in its name. */
  page: z.string(),
  /** The page it is held on; absent for calls with an API key. */
  origin: z.string().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
  runs: count,
  cost: count,
  /** When a run last ended otherwise than by `stop`, by how it did. */
  ended: z.partialRecord(z.enum(RUN_FINISHES), z.int()).optional(),
  /** The number of the next run. */
  next: count,
  /** Keyed digests of its latest messages: what a client repeats is not stored again. */
  digests: z.array(z.string()).optional(),
  /** The same without a key, as earlier versions wrote them. */
  known: z.array(z.string()),
  /** Runs that go on in one of the same name that was deleted: they are not added to this one. */
  gone: z.array(z.string()).optional(),
  /** After this it is gone, whatever the store still holds. */
  exp: z.int(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/**
 * A deleted conversation while runs go on in it, which do not bring it back. By their ids, because
 * clocks of processes differ.
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
  cost: count,
  finishReason: z.enum(RUN_FINISHES),
  errorCode: z.enum(STREAM_ERROR_CODES).optional(),
  /** Its words, encrypted, where they are short; otherwise they have parts of their own. */
  words: bytesSchema.optional(),
  /** How many parts its words have, and how many bytes before they were encrypted. */
  parts: count,
  bytes: count,
  /** It is counted in the tenant's usage; absent where it was stored before that was. */
  counted: z.literal(true).optional(),
  /** The shard of that usage, where it is not the first. */
  shard: count.optional(),
  /** After this it is gone, whatever the store still holds. */
  exp: z.int(),
});
export type RunRow = z.infer<typeof runRowSchema>;

const messageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  /** A client says that this was said before; nothing here witnessed it. */
  claimed: z.boolean(),
});

/** What was said in one run. */
export const runTranscriptSchema = z.object({
  /** What the client sent: what it claims first, then the message that was answered. */
  messages: z.array(messageSchema),
  /** What the assistant said. */
  text: z.string(),
  tools: z.array(z.object({
    name: z.string(),
    args: jsonValueSchema,
    /** Absent when the run ended before. */
    output: jsonValueSchema.optional(),
  })),
});
export type RunTranscript = z.infer<typeof runTranscriptSchema>;

/** A conversation that is there to be read. */
export function isReadable(head: ConversationHead | undefined, now: number): head is Conversation {
  return head !== undefined && "id" in head && head.exp > now;
}

/** Under which name the conversation of an agent with whoever is on a page, or holds an API key, is kept. */
export async function conversationName(
  id: string,
  of: { tenant: string; agentId: string; origin?: string | undefined },
): Promise<ConversationName> {
  const { tenant, agentId, origin } = of;
  // A host may be longer than a key can be.
  return { tenant, id, agentId, page: origin === undefined ? "" : await sha256(origin) };
}
