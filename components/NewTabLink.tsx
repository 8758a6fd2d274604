import type { ComponentChildren } from "preact";

export interface NewTabLinkProps {
  href: string;
  class?: string;
  children: ComponentChildren;
}

/** Leaves the page where it is: going back to one that a form was sent to is asked about. */
export function NewTabLink({ children, ...link }: NewTabLinkProps) {
  return (
    <a {...link} target="_blank" rel="noopener" aria-current="false">
      {children}
      <span class="new-tab">(new tab)</span>
    </a>
  );
}
