import type { Agent } from "@/lib/schemas/agent.ts";
import { DEMO_MODEL } from "@/lib/schemas/provider_id.ts";
import type { Sorting, SortKeys } from "@/lib/dashboard/sort_rows.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { Time } from "./Time.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const AGENT_SORT_KEYS: SortKeys<Agent> = {
  name: ({ name }) => name,
  model: modelName,
  tools: ({ tools }) => tools.length,
  updated: ({ updatedAt }) => updatedAt,
};

/** Agents with their prompt and model; sortable if the list is whole. */
export function AgentTable(
  { agents, now, url, sorting }: {
    agents: readonly Agent[];
    now: number;
    url: URL;
    sorting?: Sorting | undefined;
  },
) {
  const columns: Column<Agent>[] = [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: (agent) => (
        <span class="cell-name">
          <a class="row-link" href={`/agents/${agent.id}`}>{agent.name}</a>
          <span class="cell-text">{agent.systemPrompt.slice(0, 200)}</span>
        </span>
      ),
    },
    { id: "model", heading: t("Model"), isSortable: true, cell: modelName },
    {
      id: "tools",
      heading: t("Tools"),
      isSortable: true,
      isNumber: true,
      cell: ({ tools }) => tools.length,
    },
    {
      id: "updated",
      heading: t("Updated"),
      isSortable: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} now={now} />,
    },
  ];
  return (
    <DataTable
      caption={t("Agents")}
      columns={columns}
      rows={agents}
      rowKey={({ id }) => id}
      url={url}
      {...sorting && { sorting }}
    />
  );
}

function modelName({ modelPolicy: { model } }: Agent): string {
  return model === DEMO_MODEL ? t("Demo model") : model;
}
