import type { Agent } from "@/lib/wire/agent.ts";

/** The agents that use a knowledge base, by name. */
export function AgentLinks({ agents }: { agents: readonly Pick<Agent, "id" | "name">[] }) {
  return (
    <ul class="agent-links">
      {agents.map(({ id, name }) => (
        <li key={id}>
          <a href={`/agents/${id}`} aria-current="false">{name}</a>
        </li>
      ))}
    </ul>
  );
}
