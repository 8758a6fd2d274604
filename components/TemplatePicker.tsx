import type { AgentTemplate } from "@/lib/dashboard/agents/agent_templates.ts";

/** What a new agent can begin from; each is a link to the form filled in with it. */
export function TemplatePicker(
  { templates, chosen }: { templates: readonly AgentTemplate[]; chosen: string | undefined },
) {
  return (
    <nav class="templates" aria-label="Templates">
      {templates.map(({ id, title, text }) => (
        <a
          key={id}
          href={`/agents/new?template=${id}`}
          aria-current={id === chosen ? "true" : "false"}
        >
          <strong>{title}</strong>
          <span class="help">{text}</span>
        </a>
      ))}
    </nav>
  );
}
