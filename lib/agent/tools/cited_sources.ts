import type { FoundSource } from "../../schemas/rank_used_sources.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { SEARCH_KNOWLEDGE } from "./search_knowledge_tool.ts";
import { sourceUrl } from "./source_url.ts";

/** A document that the agent found and may have answered from. */
export interface CitedSource {
  /** The same for every passage of a document. */
  documentId: string;
  title: string;
  /** Of a web page, or the title if that is an address. */
  url: string | undefined;
}

/** A part of such a document. */
export interface FoundPassage extends CitedSource, FoundSource {
  title: string;
}

type ToolResult = Pick<FrameOf<"tool_result">, "name"> & { output?: unknown };

/** The passages of a knowledge search, best first; empty for other tools. */
export function foundPassages({ name, output }: ToolResult): FoundPassage[] {
  const passages: unknown = name === SEARCH_KNOWLEDGE && Object(output).passages;
  if (!Array.isArray(passages)) return [];
  return passages.flatMap((passage) => {
    const { documentId, title, url, text } = Object(passage);
    if (typeof documentId !== "string" || typeof title !== "string") return [];
    return [{
      documentId,
      title,
      url: sourceUrl(typeof url === "string" ? url : title),
      text: typeof text === "string" ? text : "",
    }];
  });
}

/** The documents of a knowledge search, each once; empty for other tools. */
export function citedSources(result: ToolResult): CitedSource[] {
  const sources = new Map<string, CitedSource>();
  for (const { documentId, title, url } of foundPassages(result)) {
    if (!sources.has(documentId)) sources.set(documentId, { documentId, title, url });
  }
  return [...sources.values()];
}
