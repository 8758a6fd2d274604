import type { Agent } from "../../schemas/agent.ts";

/** The tool for every agent; no agent's own tool has this name. */
export const ASK_AGENT = "ask_agent";

/** A name has at most 64 characters: `ask_`, 51 of the agent's name, `_`, 8 of its id. */
const NAME_LENGTH = 51;
const LONG_SUFFIX_NAME_LENGTH = 27;

/**
 * A tool name for each agent, oldest agent first. The oldest agent with a name gets it, so that a new
 * agent never takes an existing tool's name; the others have the start of their id appended.
 */
export function toolNames<A extends Pick<Agent, "id" | "name">>(
  agents: readonly A[],
): Map<string, A> {
  const named = new Map<string, A>();
  for (const agent of agents) {
    const free = candidates(agent).find((name) => name !== ASK_AGENT && !named.has(name));
    // The last candidate has the whole id, which is unique.
    if (free !== undefined) named.set(free, agent);
  }
  return named;
}

function candidates({ id, name }: Pick<Agent, "id" | "name">): string[] {
  const words = toWords(name);
  const hex = id.replaceAll("-", "");
  const join = (length: number, suffix: string) =>
    ["ask", words.slice(0, length).replace(/_+$/, ""), suffix].filter((part) => part !== "")
      .join("_");
  const plain = words === "" ? [] : [join(NAME_LENGTH, "")];
  return [...plain, join(NAME_LENGTH, hex.slice(0, 8)), join(LONG_SUFFIX_NAME_LENGTH, hex)];
}

/** Lowercase ASCII words; `""` for a name in another script. */
function toWords(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
}
