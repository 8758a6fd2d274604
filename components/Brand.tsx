import { t } from "@/lib/dashboard/texts/translate.ts";
/** The service's mark and name. */
export function Brand() {
  return (
    <span class="brand">
      <img class="brand-mark" src="/favicon.svg" alt="" width="28" height="28" />
      <span>{t("Agent Chat")}</span>
    </span>
  );
}
