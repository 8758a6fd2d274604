import type { MailDelivery } from "@/lib/dashboard/mail/send_mail.ts";
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
  /** The mail with the link; absent if mail is not configured. */
  delivery?: MailDelivery;
}

/** The only page that shows a one-time link, right after it was created. */
export function RevealedLink(
  { title, text, link, back, delivery }: RevealedLinkProps,
) {
  return (
    <>
      <PageHeader title={title} back={back} />
      <div class="card narrow stack">
        {delivery && <Delivery {...delivery} />}
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

function Delivery({ to, isSent }: NonNullable<MailDelivery>) {
  return isSent
    ? <Notice kind="done">{t("The link was emailed to {email}.", { email: to })}</Notice>
    : (
      <Notice kind="error">
        {t("The email to {email} could not be sent. Pass the link on yourself.", { email: to })}
      </Notice>
    );
}
