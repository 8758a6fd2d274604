import { z } from "zod";
import { HANDOFF_CAUSES, HANDOFF_REQUESTERS, HANDOFF_STATES } from "../../schemas/handoff.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { bytesSchema } from "../values/chunks.ts";

const count = z.int().nonnegative();

/** The hand-off of one conversation and the end of its feed; absent until the first request. */
export const handoffHeadSchema = z.object({
  v: z.literal(1),
  /** Random: entries of a deleted conversation's feed never appear in a later one of the same name. */
  feed: z.uuid(),
  id: z.string(),
  agentId: z.string(),
  /** As in `ConversationName`. */
  page: z.string(),
  /** The page's origin; absent for calls with an API key. */
  origin: z.string().optional(),
  /** The hash of its visitor; absent without one. */
  visitor: z.string().optional(),
  state: z.enum(HANDOFF_STATES),
  cause: z.enum(HANDOFF_CAUSES).optional(),
  /** Of the last request, milliseconds. */
  requestedAt: z.int(),
  by: z.enum(HANDOFF_REQUESTERS),
  /** When the wait ends, milliseconds. */
  answerBy: z.int(),
  /** The user who has it, or who had it last, and the name that the visitor sees. */
  person: z.object({ id: z.string(), name: z.string() }).optional(),
  /** Whether the agent asks for contact details when nobody answers. */
  form: z.boolean(),
  /** `open`: the visitor may leave them; `left`: nobody has dealt with them yet. */
  contact: z.enum(["none", "open", "left"]),
  /** The number of the next entry, from 1. */
  next: count.positive(),
  /** Messages that people wrote. */
  said: count,
  /** The time in the key of its index record; absent if it is not in the queue. */
  queuedAt: z.int().optional(),
  /** The retention of the conversation, days. */
  days: count.positive(),
  /** The end of life, whatever the store still holds. */
  exp: z.int(),
});
export type HandoffHead = z.infer<typeof handoffHeadSchema>;

/** One entry of a feed as stored: its content is sealed. */
export const handoffEntrySchema = z.object({
  v: z.literal(1),
  at: z.int(),
  sealed: bytesSchema,
  exp: z.int(),
});
export type StoredEntry = z.infer<typeof handoffEntrySchema>;

/** The content of an entry. */
export const feedEntrySchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("state"),
    state: z.enum(HANDOFF_STATES),
    cause: z.enum(HANDOFF_CAUSES).optional(),
    /** The person's name. */
    person: z.string().optional(),
    by: z.enum(HANDOFF_REQUESTERS).optional(),
    /** The model's, for the person. */
    reason: z.string().optional(),
    /** Whether the visitor may leave contact details. */
    form: z.boolean(),
  }),
  /** A long message has several entries, with the same run. */
  z.object({ type: z.literal("visitor"), text: z.string(), runId: z.string() }),
  z.object({ type: z.literal("person"), text: z.string(), name: z.string() }),
  z.object({ type: z.literal("contact"), email: z.string(), message: z.string() }),
]);
export type FeedEntry = z.infer<typeof feedEntrySchema>;

/** An entry with its number and time, milliseconds. */
export type NumberedEntry = FeedEntry & { n: number; at: number };

export function handoffName(tenant: string, head: HandoffHead): ConversationName {
  const { id, agentId, page } = head;
  return { tenant, id, agentId, page };
}

/** True if messages go to a person. A wait that is over is not, even if nothing has recorded that yet. */
export function isHeld(head: HandoffHead | undefined, now: number): head is HandoffHead {
  if (head === undefined || head.exp <= now) return false;
  return head.state === "taken" || (head.state === "waiting" && now < head.answerBy);
}

/** The head and, while a person should look at it, its record in the queue. */
export function queueKey(tenant: string, head: HandoffHead): Deno.KvKey | undefined {
  const { queuedAt } = head;
  return queuedAt === undefined
    ? undefined
    : keys.handoffInQueue(handoffName(tenant, head), queuedAt);
}
