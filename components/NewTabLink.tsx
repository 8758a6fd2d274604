import type { ComponentChildren } from "preact";

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
      <span class="new-tab">(new tab)</span>
    </a>
  );
}
