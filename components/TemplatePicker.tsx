import type { AgentTemplate } from "@/lib/dashboard/agents/agent_templates.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Templates of a new agent, as links to the prefilled form. */
export function TemplatePicker(
  { templates, chosen }: { templates: readonly AgentTemplate[]; chosen: string | undefined },
) {
  return (
    <nav class="templates" aria-label={t("Templates")}>
      {templates.map(({ id, title, text }) => (
        <a
          key={id}
          href={`/agents/new?template=${id}`}
          aria-current={id === chosen ? "true" : "false"}
        >
          <strong>{t(title)}</strong>
          <span class="help">{t(text)}</span>
        </a>
      ))}
    </nav>
  );
}
