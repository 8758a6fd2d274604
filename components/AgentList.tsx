import type { Agent } from "@/lib/schemas/agent.ts";
import { DEMO_MODEL } from "@/lib/schemas/provider_id.ts";
import { Time } from "./Time.tsx";

/** Agents as rows, each with its prompt and model. */
export function AgentList({ agents, now }: { agents: Agent[]; now: number }) {
  return (
    <ul class="rows">
      {agents.map((agent) => (
        <li key={agent.id} class="row">
          <div class="row-main">
            <a class="row-link" href={`/agents/${agent.id}`}>{agent.name}</a>
            <p class="row-text">{agent.systemPrompt}</p>
          </div>
          <dl class="facts">
            <div>
              <dt>Model</dt>
              <dd>
                {agent.modelPolicy.model === DEMO_MODEL ? "Demo model" : agent.modelPolicy.model}
              </dd>
            </div>
            <div>
              <dt>Tools</dt>
              <dd>{agent.tools.length}</dd>
            </div>
            <div>
              <dt>Updated</dt>
              <dd>
                <Time at={agent.updatedAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
