import { usedSources } from "../../../lib/schemas/used_sources.ts";
import type { Source, TranscriptMessage } from "../../state.ts";

/** Messages are drawn often, and what was found for a complete answer stays the same. */
const READ = new WeakMap<object, Source[]>();

/**
 * The documents that a complete answer draws on, each once, with its passages as one text. Also reads the
 * titles that earlier releases have stored. The `url` of a document without one is its title, which may be
 * an address.
 */
export function readSources({ text: answer, sources = [] }: TranscriptMessage): Source[] {
  const read = READ.get(sources);
  if (read) return read;
  const texts = new Map<string, [title: string, passages: Set<string>]>();
  for (const source of sources) {
    const { title = `${source}`, text = "", url = title } = Object(source) as Partial<Source>;
    const [, passages] = texts.get(url) ?? [];
    texts.set(url, [title, (passages ?? new Set()).add(text)]);
  }
  const found = [...texts].map(([url, [title, passages]]) => ({
    title,
    url,
    text: [...passages].join("\n\n").trim(),
  }));
  const used = usedSources(answer, found);
  READ.set(sources, used);
  return used;
}
