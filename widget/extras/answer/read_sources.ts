import type { Source, TranscriptMessage } from "../../state.ts";

/**
 * The documents that were found for an answer, each once, with its passages as one text; those that the
 * answer draws on come first. Also reads the titles that earlier releases have stored.
 */
export function readSources({ sources = [] }: TranscriptMessage): Source[] {
  const texts = new Map<string, Set<string>>();
  for (const source of sources) {
    const { title = `${source}`, text = "" } = Object(source) as Partial<Source>;
    texts.set(title, (texts.get(title) ?? new Set()).add(text));
  }
  return [...texts].map(([title, passages]) => ({
    title,
    text: [...passages].join("\n\n").trim(),
  }));
}
