import type { AgentSearchResult } from "@/lib/store/agents/agent_search.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The agents that use a knowledge base, by name. */
export function AgentLinks({ agents: { data, more } }: { agents: AgentSearchResult }) {
  return (
    <ul class="agent-links">
      {data.map(({ id, name }) => (
        <li key={id}>
          <a href={`/agents/${id}`} aria-current="false">{name}</a>
        </li>
      ))}
      {more && <li>{t("and more")}</li>}
    </ul>
  );
}
