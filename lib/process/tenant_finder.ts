import type { TenantStore } from "../storage/tenant_store.ts";
import { CommandError } from "./commands.ts";

/** The tenant that a command means: the one named, or the installation's default one. */
export type ResolveTenant = (id: string | undefined) => Promise<string>;

/** Finds it on an open store; a tenant that is not there is a `CommandError`. */
export function tenantResolver(
  tenants: Pick<TenantStore, "get" | "ensureDefault">,
): ResolveTenant {
  return async (id) => {
    if (id === undefined) return (await tenants.ensureDefault()).id;
    if (await tenants.get(id) === undefined) throw new CommandError(`there is no tenant ${id}`);
    return id;
  };
}
