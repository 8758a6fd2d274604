import type { RunRegistry } from "../../chat/run_registry.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import { Operators } from "../../services/tenants/operators.ts";
import { TenantDeletions } from "../../services/tenants/tenant_deletions.ts";
import { TenantExport, type TenantExportDeps } from "../../services/tenants/tenant_export.ts";
import { TenantLifecycle } from "../../services/tenants/tenant_lifecycle.ts";
import { TenantData } from "../../store/tenants/tenant_data.ts";
import { TenantDeletionStore } from "../../store/tenants/tenant_deletion_store.ts";
import { TenantRecords } from "../../store/tenants/tenant_records.ts";
import { TenantStateStore } from "../../store/tenants/tenant_state_store.ts";
import type { CoreDeps } from "./core_deps.ts";

/** What operators do with tenants and with each other. */
export function openTenants(
  { kv, runtime, log, tenants }: CoreDeps,
  { runs, trialJobs, ...exported }:
    & { runs: RunRegistry; trialJobs: TrialJobs }
    & Omit<TenantExportDeps, "kv" | "runtime" | "tenants" | "records">,
) {
  return {
    operators: new Operators(kv, { runtime, tenants }),
    tenantDeletions: new TenantDeletions({
      ...{ runs, trialJobs, runtime, log },
      deletions: new TenantDeletionStore(kv, runtime),
      data: new TenantData(kv),
    }),
    tenantExport: new TenantExport({
      ...{ ...exported, kv, runtime, tenants },
      records: new TenantRecords(kv),
    }),
    tenantLifecycle: new TenantLifecycle({
      ...{ runs, trialJobs },
      states: new TenantStateStore(kv, runtime),
    }),
  };
}
