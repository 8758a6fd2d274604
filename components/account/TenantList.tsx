import type { TenantChoice } from "@/lib/services/tenants/memberships.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The tenants of a person, in their account. */
export function TenantList({ tenants }: { tenants: readonly TenantChoice[] }) {
  return (
    <ul class="rows">
      {tenants.map(({ id, name, isCurrent, isHome }) => (
        <li key={id} class="row">
          <div class="row-main">
            <p class="row-name">
              <strong dir="auto">{name}</strong>{" "}
              {isCurrent && <span class="badge">{t("Current")}</span>}
            </p>
            {isHome && <p class="help">{t("Your account belongs to this tenant.")}</p>}
          </div>
          <div class="row-actions">
            {!isHome && (
              <a
                class="button button-small"
                href={`/account/tenants/${id}/leave`}
                aria-label={t("Leave {name}…", { name })}
                aria-current="false"
              >
                {t("Leave…")}
              </a>
            )}
            {!isCurrent && (
              <form method="post" action={`/account/tenants/${id}/switch`}>
                <button
                  class="button button-small"
                  type="submit"
                  aria-label={t("Switch to {name}", { name })}
                >
                  {t("Switch")}
                </button>
              </form>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
