import { SEARCH_KNOWLEDGE } from "./search_knowledge_tool.ts";
import type { FrameOf } from "../../schemas/frames.ts";

/** A document that the agent found and may have answered from. */
export interface CitedSource {
  /** The same for every passage of a document. */
  documentId: string;
  title: string;
  /** Set if the title is an address. */
  url: string | undefined;
}

/** The documents of a knowledge search, each once; empty for other tools. */
export function citedSources(
  { name, output }: Pick<FrameOf<"tool_result">, "name"> & { output?: unknown },
): CitedSource[] {
  const passages: unknown = name === SEARCH_KNOWLEDGE && Object(output).passages;
  if (!Array.isArray(passages)) return [];
  const sources = new Map<string, CitedSource>();
  for (const passage of passages) {
    const { documentId, title } = Object(passage);
    if (typeof documentId !== "string" || typeof title !== "string") continue;
    const url = /^https?:\/\//i.test(title) && URL.canParse(title) ? title : undefined;
    if (!sources.has(documentId)) sources.set(documentId, { documentId, title, url });
  }
  return [...sources.values()];
}
