import type { Command } from "../navigation.ts";

/** Commands whose title has all words of the query; those that start with it come first. */
export function findCommands(commands: readonly Command[], query: string): Command[] {
  const text = query.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = commands.filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word))
  );
  const starts = ({ title }: Command) => title.toLowerCase().startsWith(text) ? 0 : 1;
  return text === "" ? found : found.toSorted((a, b) => starts(a) - starts(b));
}

/** Agents and knowledge bases by name. Throws if the server does not answer with a list. */
export async function searchByName(query: string, signal: AbortSignal): Promise<Command[]> {
  const response = await fetch(`/search?${new URLSearchParams({ q: query })}`, {
    headers: { accept: "application/json" },
    signal,
  });
  if (!response.ok || response.redirected) throw new Error(`search: ${response.status}`);
  return (await response.json() as { commands: Command[] }).commands;
}
