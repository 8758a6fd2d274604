/** What an answer is drawn from: the documents in which the agent's own search found something. */
import type { TranscriptMessage } from "./turn.ts";

/** Adds the titles that a tool's result names, each once; any tool may answer anything. */
export function addSources(
  turn: TranscriptMessage,
  { name, output }: { name: string; output: unknown },
): void {
  const found = name === "search_knowledge" && Object(output).passages;
  if (!Array.isArray(found)) return;
  turn.sources = [
    ...new Set((turn.sources ?? []).concat(found.map((passage) => `${passage?.title}`))),
  ];
}
