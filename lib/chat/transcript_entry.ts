import { sha256 } from "../platform/crypto/hashing.ts";
import type { RunTranscript } from "../store/conversations/conversation_record.ts";
import { type Chunk, splitChunks, totalBytes } from "../store/values/chunks.ts";
import type { ChatMessage } from "../schemas/chat.ts";
import type { Frame } from "../schemas/frames.ts";

/** As earlier versions stored it: a clash only leaves out a message that a client claims. */
const DIGEST_LENGTH = 11;
const SHORT_TEXT = 16_000;

/** What was said in a run, to be stored with what its conversation lacks. */
export interface TranscriptEntry {
  /** Of every message in it. */
  digests: string[];
  /** All of it in bytes, at most. */
  bytes: number;
  /** As parts, but for the claimed messages that are `known` by their digest. */
  encode(known: readonly string[]): Chunk[];
  /** What fits into any commit: the message, and how the answer begins. */
  encodeShortened(): Chunk[];
}

/**
 * The client's messages and the assistant's answer, from `frames`. `keyed` turns a digest into one that
 * cannot be used to guess a message without the key.
 */
export async function createTranscriptEntry(
  messages: readonly ChatMessage[],
  { frames, keyed }: { frames: readonly Frame[]; keyed: (digest: string) => string },
): Promise<TranscriptEntry> {
  const asked = messages.at(-1)!;
  const claimed = await Promise.all(
    messages.slice(0, -1).map(async (message) => ({
      message: { ...message, claimed: true },
      digest: keyed(await digestOf(message)),
    })),
  );
  const answer = answerOf(frames);
  const said: ChatMessage = { role: "assistant", content: answer.text };
  const question = { ...asked, claimed: false };
  const packed = (some: typeof claimed) =>
    encodeWords({ messages: [...some.map(({ message }) => message), question], ...answer });
  const all = packed(claimed);
  const pack = (known: readonly string[]) => {
    const repeated = new Set(known);
    const lacking = claimed.filter(({ digest }) => !repeated.has(digest));
    return lacking.length === claimed.length ? all : packed(lacking);
  };
  return {
    digests: [
      ...claimed.map(({ digest }) => digest),
      ...(await Promise.all([asked, said].map(digestOf))).map(keyed),
    ],
    bytes: totalBytes(all),
    encode: pack,
    encodeShortened: () =>
      encodeWords({ messages: [question], text: answer.text.slice(0, SHORT_TEXT), tools: [] }),
  };
}

function encodeWords(words: RunTranscript): Chunk[] {
  return splitChunks(new TextEncoder().encode(JSON.stringify(words)));
}

/** Clients trim what they show and send back. */
async function digestOf({ role, content }: ChatMessage): Promise<string> {
  return (await sha256(`${role} ${content.trim()}`)).slice(0, DIGEST_LENGTH);
}

function answerOf(frames: readonly Frame[]): Omit<RunTranscript, "messages"> {
  const texts: string[] = [];
  const tools: RunTranscript["tools"] = [];
  for (const frame of frames) {
    if (frame.type === "delta") texts.push(frame.text);
    if (frame.type === "tool_call") tools.push({ name: frame.name, args: frame.args });
    // Calls run one after the other: a result is the last call's.
    if (frame.type === "tool_result") tools.at(-1)!.output = frame.output;
  }
  return { text: texts.join(""), tools };
}
