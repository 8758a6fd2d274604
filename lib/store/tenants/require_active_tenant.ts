import { ApiError } from "../../schemas/api_error.ts";
import type { Plan } from "./tenant_store.ts";

type TenantState = Pick<Plan, "suspension" | "deletion">;

/** False while the tenant is suspended or being deleted. */
export function isActive({ suspension, deletion }: TenantState): boolean {
  return suspension === undefined && deletion === undefined;
}

/** Throws 403 while the tenant is suspended or being deleted. The reason is not for visitors. */
export function requireActiveTenant(state: TenantState): void {
  if (isActive(state)) return;
  const message = state.deletion === undefined
    ? "this tenant is suspended; its users can read why in the dashboard"
    : "this tenant is being deleted";
  throw new ApiError("tenant_suspended", message);
}
