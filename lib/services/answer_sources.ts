import { type FoundPassage, usedPassages } from "../agent/tools/found_passages.ts";
import type { OwnMessage } from "../schemas/own_conversation.ts";

type Source = NonNullable<OwnMessage["sources"]>[number];

/**
 * The documents that an answer draws on, of those that the tools of its run found: each once, with a
 * passage that it draws on. Others are not named, because they would look like evidence.
 */
export function answerSources(
  answer: string,
  tools: readonly { name: string; output?: unknown }[],
): Source[] {
  const sources = new Map<string, Source>();
  for (const { documentId, text, ...passage } of usedPassages(answer, tools)) {
    if (!sources.has(documentId)) {
      sources.set(documentId, { ...toSource(passage), used: true, text });
    }
  }
  return [...sources.values()];
}

function toSource({ title, url }: Pick<FoundPassage, "title" | "url">): Source {
  return { title, ...url !== undefined && { url } };
}
