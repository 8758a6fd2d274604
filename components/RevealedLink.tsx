import { CodeBlock } from "./CodeBlock.tsx";
import { Notice } from "./Notice.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface RevealedLinkProps {
  title: string;
  /** What the link does, and for how long it works. */
  text: string;
  link: string;
  back: { href: string; label: string };
}

/** The only page that shows a one-time link, right after it was created. */
export function RevealedLink({ title, text, link, back }: RevealedLinkProps) {
  return (
    <>
      <PageHeader title={title} back={back} />
      <div class="card narrow stack">
        <Notice kind="warning">
          {t(
            "Copy the link now. You won't be able to see it again, because only a hash is stored.",
          )}
        </Notice>
        <CodeBlock label={t("One-time link")} code={link} wrapped />
        <p class="help">{text}</p>
        <div class="form-actions">
          <a class="button button-primary" href={back.href} aria-current="false">{t("Done")}</a>
        </div>
      </div>
    </>
  );
}
