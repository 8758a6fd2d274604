import { t } from "@/lib/dashboard/texts/translate.ts";
/** Leads to the page with the code for the user's own site. */
export function EmbedCard({ path }: { path: string }) {
  return (
    <section class="card stack" aria-labelledby="embed">
      <div>
        <h2 id="embed">{t("On your site")}</h2>
        <p class="help">{t("Saved changes reach your pages without a new tag.")}</p>
      </div>
      <p class="form-actions">
        <a class="button" href={path}>{t("Copy embed code")}</a>
      </p>
    </section>
  );
}
