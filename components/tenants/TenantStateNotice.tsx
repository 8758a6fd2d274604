import type { TenantState } from "@/lib/dashboard/tenants/find_tenant.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";
import { Notice } from "../Notice.tsx";
import { Time } from "../Time.tsx";

/** Says to operators that a tenant is suspended, or is being deleted. */
export function TenantStateNotice(
  { suspension, deletion, now }: TenantState & { now: number },
) {
  if (deletion !== undefined) {
    return (
      <Notice kind="warning">
        {t(
          "This tenant is being deleted. Its requests are rejected, and it leaves the list once nothing of it is left: about 10 minutes after its last work has ended.",
        )}
      </Notice>
    );
  }
  if (suspension === undefined) return null;
  const { at, reason } = suspension;
  return (
    <Notice kind="warning">
      <p>
        {rich("Suspended {time}.", { time: <Time at={new Date(at).toISOString()} now={now} /> })}
      </p>
      <p>{t("The operator's reason: {reason}", { reason })}</p>
    </Notice>
  );
}

/** The same in a list. */
export function TenantStateBadge({ suspension, deletion }: TenantState) {
  if (deletion !== undefined) return <span class="badge badge-failing">{t("Being deleted")}</span>;
  return suspension === undefined ? null : <span class="badge">{t("Suspended")}</span>;
}
