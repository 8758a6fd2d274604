import { Egress } from "../../egress/egress.ts";
import { parseEgressAllowEntry } from "../../egress/egress_allowlist.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Outgoing requests of tools and the doctor. Warns of `EGRESS_ALLOW` entries without a known tenant. */
export async function openEgress(
  { config, log, runtime, tenants, tracing }: CoreDeps,
  rejectionMs?: number,
): Promise<Egress> {
  const ids = (await tenants.list()).map(({ id }) => id);
  const bound = config.egressAllow.map((entry) => ({
    entry,
    tenant: parseEgressAllowEntry(entry)?.tenant,
  }));
  const shared = bound.filter(({ tenant }) => tenant === undefined);
  if (ids.length > 1 && shared.length > 0) {
    log.warn(
      "entries of EGRESS_ALLOW apply to every tenant: bind each to its own with <tenant id>=",
      { entries: shared.map(({ entry }) => entry).join(", "), tenants: ids.length },
    );
  }
  for (const { entry, tenant } of bound) {
    if (tenant === undefined || ids.includes(tenant)) continue;
    log.warn("EGRESS_ALLOW entry names an unknown tenant", { entry });
  }
  return new Egress({
    allow: config.egressAllow,
    runtime,
    onRequest: tracing && ((request, target) => tracing.startRequest(request, target)),
    ...rejectionMs !== undefined && { rejectionMs },
    onRejected: (rejection) => log.info("tool call blocked", { ...rejection }),
  });
}
