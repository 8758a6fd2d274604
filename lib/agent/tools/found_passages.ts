import { type FoundSource, usedSources } from "../../schemas/used_sources.ts";
import type { FrameOf } from "../../schemas/frames.ts";
import { SEARCH_KNOWLEDGE } from "./search_knowledge_tool.ts";
import { sourceUrl } from "./source_url.ts";

/** A passage that a knowledge search found. */
export interface FoundPassage extends FoundSource {
  /** The same for every passage of a document. */
  documentId: string;
  title: string;
  /** Of a web page, or the title if that is an address. */
  url: string | undefined;
}

type ToolResult = Pick<FrameOf<"tool_result">, "name"> & { output?: unknown };

/** The passages of a knowledge search, best first; empty for other tools. */
function foundPassages({ name, output }: ToolResult): FoundPassage[] {
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

/** The passages that an answer draws on, of those that the tools of its run found. */
export function usedPassages(answer: string, tools: readonly ToolResult[]): FoundPassage[] {
  // Several searches may find the same passage.
  const found = new Map<string, FoundPassage>();
  for (const passage of tools.flatMap(foundPassages)) {
    found.set(`${passage.documentId} ${passage.text}`, passage);
  }
  return usedSources(answer, [...found.values()]);
}
