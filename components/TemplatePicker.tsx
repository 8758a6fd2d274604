import type { AgentTemplate } from "@/lib/dashboard/agents/agent_templates.ts";

/** Templates of a new agent, as links to the prefilled form. */
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
