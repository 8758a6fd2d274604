import CopyButton from "@/islands/CopyButton.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { AGENT_SECTIONS } from "@/lib/dashboard/agents/agent_sections.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { DeleteAgentForm } from "./DeleteAgentForm.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** The pages of one agent. */
const TABS = {
  ...AGENT_SECTIONS,
  appearance: { label: msg("Appearance"), path: "/appearance" },
  handoff: { label: msg("Hand-off"), path: "/handoff" },
  guardrails: { label: msg("Guardrails"), path: "/guardrails" },
  embed: { label: msg("Embed"), path: "/embed" },
  feedback: { label: msg("Feedback"), path: "/feedback" },
  rehearse: { label: msg("Rehearse"), path: "/rehearse" },
  publish: { label: msg("Publish"), path: "/publish" },
  versions: { label: msg("Versions"), path: "/versions" },
} as const;

export interface AgentHeaderProps {
  agent: Agent;
  tab: keyof typeof TABS;
  /** The user may edit the agent; the server enforces it. */
  editor: boolean;
  /** The page has a playground, which small screens show below everything else. */
  playground?: boolean;
  titlePrefix?: string | undefined;
}

/** The header of an agent's pages: name, actions and tabs. */
export function AgentHeader({ agent, tab, editor, playground, titlePrefix }: AgentHeaderProps) {
  const path = `/agents/${agent.id}`;
  return (
    <>
      <PageHeader
        title={agent.name}
        titlePrefix={titlePrefix}
        back={{ href: "/agents", label: t("Agents") }}
      >
        {playground && (
          <a class="button try-link" href="#playground" aria-current="false">{t("Try it")}</a>
        )}
        <CopyButton text={agent.id} what={t("agent ID")} label={t("Copy ID")} />
        {editor && (
          <>
            <a class="button" href={`/agents/new?from=${agent.id}`} aria-current="false">
              {t("Duplicate")}
            </a>
            <DialogLink
              href={`${path}/delete`}
              label={t("Delete")}
              class="button"
              title={t("Delete {name}", { name: agent.name })}
            >
              <DeleteAgentForm agent={agent} />
            </DialogLink>
          </>
        )}
      </PageHeader>
      <nav class="tabs" aria-label={t("Agent")}>
        {Object.entries(TABS).map(([name, { label, path: page }]) => (
          <a key={name} href={path + page} aria-current={name === tab ? "page" : "false"}>
            {t(label)}
          </a>
        ))}
      </nav>
    </>
  );
}
