import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { Icon } from "./Icon.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface PageHeaderProps {
  title: string;
  text?: string;
  /** Start of the tab title while the page shows a rejected form. */
  titlePrefix?: string | undefined;
  /** The list or resource that the page belongs to; the label may be a name, which is not translated. */
  back?: { href: string; label: string };
  /** Buttons next to the title. */
  children?: ComponentChildren;
}

/** Title of the page and the tab, with the page's actions. */
export function PageHeader({ title, text, titlePrefix, back, children }: PageHeaderProps) {
  return (
    <header class="page-header">
      <Head>
        <title>
          {t("{value}{title} · Agent Chat", {
            value: titlePrefix ? `${titlePrefix} · ` : "",
            title,
          })}
        </title>
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
