import type { TenantChoice } from "@/lib/services/tenants/memberships.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The tenants of a person, in the user menu. */
export function TenantSwitch({ tenants }: { tenants: readonly TenantChoice[] }) {
  return (
    <form method="post" class="tenant-switch" aria-label={t("Tenant")}>
      {tenants.map(({ id, name, isCurrent }) => (
        <button
          key={id}
          class="menu-item"
          type="submit"
          formAction={`/account/tenants/${id}/switch`}
          aria-pressed={isCurrent ? "true" : "false"}
          dir="auto"
        >
          {name}
        </button>
      ))}
    </form>
  );
}
