import { Head } from "fresh/runtime";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The answer to a change that was not made: why, and where to go next. */
export function NotChangedView(
  { status, text, link }: { status: number; text: string; link: { href: string; label: string } },
) {
  const title = t("Not changed");
  return (
    <section class="empty error-view">
      <Head>
        <title>{t("{title} · Agent Chat", { title })}</title>
      </Head>
      <p class="error-status">{status}</p>
      <h1>{title}</h1>
      <p>{text}</p>
      <a class="button" href={link.href} aria-current="false">{link.label}</a>
    </section>
  );
}
