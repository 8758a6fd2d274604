import { type FoundPassage, foundPassages } from "../agent/tools/cited_sources.ts";
import type { OwnMessage } from "../schemas/own_conversation.ts";
import { rankUsedSources } from "../schemas/rank_used_sources.ts";

type Source = NonNullable<OwnMessage["sources"]>[number];

/**
 * The documents that the tools of a run found, each once: those that the answer draws on first, each
 * with a passage that it draws on.
 */
export function answerSources(
  answer: string,
  tools: readonly { name: string; output?: unknown }[],
): Source[] {
  // Several searches may find the same passage.
  const found = new Map<string, FoundPassage>();
  for (const passage of tools.flatMap(foundPassages)) {
    found.set(`${passage.documentId} ${passage.text}`, passage);
  }
  const [used, others] = rankUsedSources(answer, [...found.values()]);
  const sources = new Map<string, Source>();
  for (const { documentId, text, ...passage } of used) {
    if (!sources.has(documentId)) {
      sources.set(documentId, { ...toSource(passage), used: true, text });
    }
  }
  for (const { documentId, ...passage } of others) {
    if (!sources.has(documentId)) sources.set(documentId, toSource(passage));
  }
  return [...sources.values()];
}

function toSource({ title, url }: Pick<FoundPassage, "title" | "url">): Source {
  return { title, ...url !== undefined && { url } };
}
