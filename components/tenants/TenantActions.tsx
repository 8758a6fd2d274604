import type { FoundTenant } from "@/lib/dashboard/tenants/find_tenant.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** What an operator can do with a tenant, as buttons of its page. */
export function TenantActions({ id, suspension, deletion }: FoundTenant) {
  const page = `/operator/tenants/${id}`;
  if (deletion !== undefined) return null;
  return (
    <>
      <a class="button" href={`${page}/rename`} aria-current="false">{t("Rename")}</a>
      <a class="button" href={`${page}/export`} aria-current="false">{t("Export")}</a>
      {suspension === undefined
        ? <a class="button" href={`${page}/suspend`} aria-current="false">{t("Suspend")}</a>
        : (
          <form method="post" action={`${page}/resume`}>
            <button class="button button-primary" type="submit">{t("Resume")}</button>
          </form>
        )}
      <a class="button button-danger" href={`${page}/delete`} aria-current="false">
        {t("Delete")}
      </a>
    </>
  );
}
