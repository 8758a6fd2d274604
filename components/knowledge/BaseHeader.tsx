import { PageHeader } from "@/components/PageHeader.tsx";
import type { KnowledgeBase } from "@/lib/schemas/knowledge.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Tabs of a knowledge base; the last is for editors only. */
const TABS = {
  documents: msg("Documents"),
  sources: msg("Websites"),
  search: msg("Search"),
  settings: msg("Settings"),
} as const;

export interface BaseHeaderProps {
  base: KnowledgeBase;
  tab: keyof typeof TABS;
  editor: boolean;
  titlePrefix?: string | undefined;
}

/** The header of a knowledge base's pages. */
export function BaseHeader({ base, tab, editor, titlePrefix }: BaseHeaderProps) {
  const path = `/knowledge/${base.id}`;
  const address = {
    documents: path,
    sources: `${path}/sources`,
    search: `${path}/search`,
    settings: `${path}/settings`,
  };
  const { description } = base;
  return (
    <>
      <PageHeader
        title={base.name}
        titlePrefix={titlePrefix}
        {...(description === undefined ? {} : { text: description })}
        back={{ href: "/knowledge", label: t("Knowledge") }}
      />
      <nav class="tabs" aria-label={t("Knowledge base")}>
        {Object.entries(TABS).map(([name, label]) =>
          (name !== "settings" || editor) && (
            <a
              key={name}
              href={address[name as keyof typeof TABS]}
              aria-current={name === tab ? "page" : "false"}
            >
              {t(label)}
            </a>
          )
        )}
      </nav>
    </>
  );
}
