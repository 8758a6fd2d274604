import CopyButton from "@/islands/CopyButton.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import type { Agent } from "@/lib/schemas/agent.ts";
import { DeleteAgentForm } from "./DeleteAgentForm.tsx";
import { PageHeader } from "./PageHeader.tsx";

/** The pages of one agent. */
const TABS = {
  editor: "Editor",
  appearance: "Appearance",
  embed: "Embed",
  versions: "Versions",
} as const;

export interface AgentHeaderProps {
  agent: Agent;
  tab: keyof typeof TABS;
  /** The user may edit the agent; the server enforces it. */
  editor: boolean;
  titlePrefix?: string | undefined;
}

/** The header of an agent's pages: name, id, actions and tabs. */
export function AgentHeader({ agent, tab, editor, titlePrefix }: AgentHeaderProps) {
  const path = `/agents/${agent.id}`;
  const address = {
    editor: path,
    appearance: `${path}/appearance`,
    embed: `${path}/embed`,
    versions: `${path}/versions`,
  };
  return (
    <>
      <PageHeader
        title={agent.name}
        titlePrefix={titlePrefix}
        back={{ href: "/agents", label: "Agents" }}
      >
        {editor && (
          <>
            <a class="button" href={`/agents/new?from=${agent.id}`} aria-current="false">
              Duplicate
            </a>
            <DialogLink
              href={`${path}/delete`}
              label="Delete"
              class="button"
              title={`Delete ${agent.name}`}
            >
              <DeleteAgentForm agent={agent} />
            </DialogLink>
          </>
        )}
      </PageHeader>
      <p class="agent-id">
        <span class="label">Agent ID</span>
        <code>{agent.id}</code>
        <CopyButton text={agent.id} what="agent ID" />
      </p>
      <nav class="tabs" aria-label="Agent">
        {Object.entries(TABS).map(([name, label]) => (
          <a
            key={name}
            href={address[name as keyof typeof TABS]}
            aria-current={name === tab ? "page" : "false"}
          >
            {label}
          </a>
        ))}
        {tab === "editor" && editor && (
          <a class="tab-jump" href="#playground-title" aria-current="false">Playground</a>
        )}
      </nav>
    </>
  );
}
