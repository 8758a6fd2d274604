import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { Icon } from "./Icon.tsx";

export interface PageHeaderProps {
  title: string;
  text?: string;
  /** The page shows a form that came back: what its tab says before anything else. */
  refused?: string | undefined;
  /** The list that the page belongs to. */
  back?: { href: string; label: string };
  /** Buttons at the end of the title's line. */
  children?: ComponentChildren;
}

/** Title of the page and of the browser's tab, with the page's actions. */
export function PageHeader({ title, text, refused, back, children }: PageHeaderProps) {
  return (
    <header class="page-header">
      <Head>
        <title>{`${refused ? `${refused} · ` : ""}${title} · Agent Chat`}</title>
      </Head>
      {back && (
        <a class="back" href={back.href} aria-current="false">
          <Icon name="back" />
          {back.label}
        </a>
      )}
      <div class="page-title">
        <div>
          <h1>{title}</h1>
          {text && <p class="lead">{text}</p>}
        </div>
        {children && <div class="actions">{children}</div>}
      </div>
    </header>
  );
}
