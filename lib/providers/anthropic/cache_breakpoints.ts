import { Buffer } from "node:buffer";

type Block = Record<string, unknown>;

/** The parts of a request that the provider may cache, in the order of its cache. */
interface CacheablePrompt {
  tools?: Block[];
  system: string;
  messages: { role: string; content: Block[] }[];
}

/** Kept for five minutes after each use. */
const BREAKPOINT = { cache_control: { type: "ephemeral" } } as const;
/** A low guess: a prompt that is a little too short is not cached, and nothing is charged for it. */
const BYTES_PER_TOKEN = 3;

/**
 * The shortest prompt in tokens that the provider caches. Source: docs.claude.com, "Prompt caching":
 * 4,096 for newer small and large models, 2,048 for older small ones, and 1,024 for all others.
 */
function minCacheableTokens(model: string): number {
  if (/(?:opus|haiku)-4-[5-9]|haiku-[5-9]|opus-[5-9]/.test(model)) return 4_096;
  return /haiku|sonnet-4-[6-9]/.test(model) ? 2_048 : 1_024;
}

/**
 * Marks where the provider caches a prompt, at most four times: after the tools, which all visitors
 * share; after the system prompt; after the question, which stays the same in all steps of a run and in
 * the conversation's next run; and at the end, where the next step continues. What is too short to be
 * cached is not marked. Of a request that no other continues, only the tools are marked: writing the
 * rest to the cache would cost more and be of no use.
 */
export function markCacheBreakpoints(
  { tools, system, messages }: CacheablePrompt,
  { model, isContinued }: { model: string; isContinued: boolean },
): Omit<CacheablePrompt, "system"> & { system: unknown } {
  const minBytes = minCacheableTokens(model) * BYTES_PER_TOKEN;
  let bytes = tools === undefined ? 0 : jsonBytes(tools);
  const markedTools = tools && bytes >= minBytes ? markLast(tools) : tools;
  if (!isContinued) return { ...markedTools && { tools: markedTools }, system, messages };
  bytes += Buffer.byteLength(system);
  const isSystemMarked = bytes >= minBytes;
  const marked = new Set([questionOf(messages), messages.length - 1]);
  return {
    ...markedTools && { tools: markedTools },
    system: isSystemMarked ? [{ type: "text", text: system, ...BREAKPOINT }] : system,
    messages: messages.map((message, n) => {
      bytes += jsonBytes(message.content);
      if (!marked.has(n) || bytes < minBytes) return message;
      return { ...message, content: markLast(message.content) };
    }),
  };
}

/** The last turn of the user that is no result of a tool. */
function questionOf(messages: CacheablePrompt["messages"]): number {
  return messages.findLastIndex(({ role, content }) =>
    role === "user" && content.some(({ type }) => type !== "tool_result")
  );
}

/** Empty text, and thinking, which cannot be marked, never come last. */
function markLast(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1);
  return last === undefined ? [] : [...blocks.slice(0, -1), { ...last, ...BREAKPOINT }];
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
