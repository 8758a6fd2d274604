import { sha256 } from "../../platform/crypto/signer.ts";
import type { Frame } from "../../schemas/frames.ts";
import type {
  RunTranscript,
  StoredMessage,
} from "../../store/conversations/conversation_record.ts";
import { layoutOf } from "../../store/conversations/frame_layout.ts";
import { type Chunk, splitChunks, totalBytes } from "../../store/values/chunks.ts";

/** Short, because a collision only omits a message that a client claims. A stored format. */
const DIGEST_LENGTH = 11;
const SHORTENED_ANSWER_LENGTH = 16_000;

/** The messages of a run and its answer, to be stored without what the conversation already has. */
export interface TranscriptEntry {
  /** Digests of all messages and of the answer. */
  digests: string[];
  /** The question, and the answer if there is one. */
  messages: number;
  /** The size of the whole entry. */
  bytes: number;
  /** Encodes the entry without the claimed messages whose digests are `known`. */
  encode(known: readonly string[]): Chunk[];
  /** Encodes what fits into any commit: the question and the beginning of the answer. */
  encodeShortened(): Chunk[];
}

/**
 * Creates the entry from the client's messages, of which all but the last are unverified claims, and from
 * the frames of the answer. `keyed` makes a digest useless for guessing messages without the key.
 */
export async function createTranscriptEntry(
  messages: readonly StoredMessage[],
  { frames, reasoning, keyed }: {
    frames: readonly Frame[];
    reasoning?: string;
    keyed: (digest: string) => string;
  },
): Promise<TranscriptEntry> {
  const digestOf = async (message: StoredMessage) => keyed(await messageDigest(message));
  const claims = messages.slice(0, -1);
  const question = messages.at(-1)!;
  const answer = answerOf(frames);
  const [claimDigests, ownDigests] = await Promise.all([
    Promise.all(claims.map(digestOf)),
    Promise.all([question, { role: "assistant" as const, content: answer.text }].map(digestOf)),
  ]);
  const unclaimed = { ...question, claimed: false };
  const encodeWith = (some: readonly StoredMessage[]) =>
    encodeTranscript({
      messages: [...some.map((message) => ({ ...message, claimed: true })), unclaimed],
      ...answer,
      ...reasoning !== undefined && { reasoning },
    });
  const all = encodeWith(claims);
  return {
    digests: [...claimDigests, ...ownDigests],
    messages: answer.text === "" ? 1 : 2,
    bytes: totalBytes(all),
    encode(known) {
      const knownDigests = new Set(known);
      const unknown = claims.filter((_, n) => !knownDigests.has(claimDigests[n]!));
      return unknown.length === claims.length ? all : encodeWith(unknown);
    },
    encodeShortened() {
      const text = answer.text.slice(0, SHORTENED_ANSWER_LENGTH);
      return encodeTranscript({ messages: [unclaimed], text, tools: [] });
    },
  };
}

function encodeTranscript(transcript: RunTranscript): Chunk[] {
  return splitChunks(new TextEncoder().encode(JSON.stringify(transcript)));
}

/** Ignores outer whitespace, which clients trim before they send a message back. */
async function messageDigest({ role, content }: StoredMessage): Promise<string> {
  return (await sha256(`${role} ${content.trim()}`)).slice(0, DIGEST_LENGTH);
}

function answerOf(frames: readonly Frame[]): Omit<RunTranscript, "messages"> {
  const texts: string[] = [];
  const tools: RunTranscript["tools"] = [];
  const byNumber = new Map<number, RunTranscript["tools"][number]>();
  for (const [i, frame] of frames.entries()) {
    if (frame.type === "delta") texts.push(frame.text);
    if (frame.type === "tool_call") {
      const tool = { name: frame.name, args: frame.args };
      tools.push(tool);
      byNumber.set(i + 1, tool);
    }
    // Without the number of its call, a result belongs to the last one.
    if (frame.type === "tool_result") {
      const tool = byNumber.get(frame.call ?? 0) ?? tools.at(-1)!;
      tool.output = frame.output;
    }
  }
  return { text: texts.join(""), tools, layout: layoutOf(frames) };
}
