import { Head } from "fresh/runtime";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The answer to a form of a page that showed another tenant than the one this browser shows now. */
export function OtherTenantView() {
  const title = t("Not changed");
  return (
    <section class="empty error-view">
      <Head>
        <title>{t("{title} · Agent Chat", { title })}</title>
      </Head>
      <p class="error-status">409</p>
      <h1>{title}</h1>
      <p>
        {t(
          "You switched to another tenant in another tab, so nothing was changed. Switch back, then repeat this.",
        )}
      </p>
      <a class="button" href="/account#tenants" aria-current="false">{t("Your tenants")}</a>
    </section>
  );
}
