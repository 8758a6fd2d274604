import { Head } from "fresh/runtime";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The answer to a change that a suspension forbids. The page's notice says why. */
export function SuspendedView() {
  const title = t("Not changed");
  return (
    <section class="empty error-view">
      <Head>
        <title>{t("{title} · Agent Chat", { title })}</title>
      </Head>
      <p class="error-status">403</p>
      <h1>{title}</h1>
      <p>{t("Your organization is suspended, so nothing can be changed. Ask the operator.")}</p>
      <a class="button" href="/" aria-current="false">{t("Back to the dashboard")}</a>
    </section>
  );
}
