import type { ComponentChildren } from "preact";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface NewTabLinkProps {
  href: string;
  class?: string;
  children: ComponentChildren;
}

/** Opens in a new tab: returning to the result of a form would make the browser ask to resend it. */
export function NewTabLink({ children, ...link }: NewTabLinkProps) {
  return (
    <a {...link} target="_blank" rel="noopener" aria-current="false">
      {children}
      <span class="new-tab">{t("(new tab)")}</span>
    </a>
  );
}
