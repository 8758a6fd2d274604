import { z } from "zod";
import { type Chunk, splitChunks } from "../store/values/chunks.ts";
import { CorruptRecordError } from "../store/values/record.ts";
import { chatMessageSchema } from "../schemas/chat.ts";

/** The messages of a run's request, kept with the run until it is settled. */
const requestMessagesSchema = z.object({
  v: z.literal(1),
  /** How long its conversation is kept. */
  days: z.int().positive(),
  origin: z.string().optional(),
  messages: z.array(chatMessageSchema),
});
export type RequestMessages = Omit<z.infer<typeof requestMessagesSchema>, "v">;

/** Throws `CorruptRecordError` if the bytes are not valid messages. */
export function decodeRequestMessages(bytes: Uint8Array): RequestMessages {
  try {
    return requestMessagesSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new CorruptRecordError("invalid message in a stored run");
  }
}

export function encodeRequestMessages(asked: RequestMessages): Chunk[] {
  return splitChunks(new TextEncoder().encode(JSON.stringify({ v: 1, ...asked })));
}
