import type { Runtime } from "../../platform/runtime.ts";
import { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import { INSTALLATION } from "../../store/audit/audit_record.ts";
import { listSigningKeys } from "../../store/signing/signing_keys.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { AuditReport } from "./audit_report.ts";
import { verifyAuditLog } from "./verify_audit_log.ts";

/** Verifies audit logs against their chains; only reads. */
export class AuditVerifier {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #tenants: Pick<TenantStore, "list">;

  constructor(
    kv: Deno.Kv,
    { runtime, tenants }: { runtime: Pick<Runtime, "now">; tenants: Pick<TenantStore, "list"> },
  ) {
    [this.#kv, this.#runtime, this.#tenants] = [kv, runtime, tenants];
  }

  /** The logs: the installation's, and one of each tenant. */
  async logs(): Promise<{ id: string; name: string }[]> {
    const tenants = await this.#tenants.list();
    const all = tenants.map(({ id, name }) => ({ id, name }));
    return [{ id: INSTALLATION, name: "The installation" }, ...all];
  }

  /** `trusted` are ids of keys that may have signed; by default those that the store has. */
  async verify(log: string, trusted?: readonly string[]): Promise<AuditReport> {
    const kv = this.#kv;
    const chains = new AuditChainStore(kv, this.#runtime);
    const keys = await listSigningKeys(kv);
    return await verifyAuditLog(log, { kv, chains, runtime: this.#runtime, keys, trusted });
  }
}
