import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Plan, Tenant } from "../../store/tenants/tenant_store.ts";

/** Why a tenant is not active. */
export type TenantState = Pick<Plan, "suspension" | "deletion">;

/** A tenant as the operator's pages see it. */
export interface FoundTenant extends Tenant, TenantState {}

/** The tenant of a page under `/operator/tenants/:id`. */
export async function findTenant(ctx: Context<State>): Promise<FoundTenant | undefined> {
  const { tenants } = ctx.state.service;
  const id = ctx.params.id!;
  const tenant = await tenants.get(id);
  if (tenant === undefined) return undefined;
  const { suspension, deletion } = await tenants.plan(id);
  return { ...tenant, ...suspension && { suspension }, ...deletion && { deletion } };
}

/** The same for pages that change the tenant; `undefined` also while it is being deleted. */
export async function findChangeableTenant(ctx: Context<State>): Promise<FoundTenant | undefined> {
  const tenant = await findTenant(ctx);
  return tenant?.deletion === undefined ? tenant : undefined;
}
