import { AuditChainer } from "../../services/audit/audit_chainer.ts";
import { AuditExport } from "../../services/audit/audit_export.ts";
import { AuditUpkeep } from "../../services/audit/audit_upkeep.ts";
import { AuditVerifier } from "../../services/audit/audit_verifier.ts";
import { AuditChainStore } from "../../store/audit/audit_chain_store.ts";
import type { CoreDeps } from "./core_deps.ts";

/** What chains, verifies and exports the audit logs. */
export function openAudit({ kv, runtime, log, signing, tenants }: CoreDeps) {
  const chains = new AuditChainStore(kv, runtime);
  const upkeep = new AuditUpkeep({ kv, chains, tenants, signing, runtime, log });
  const auditChainer = new AuditChainer({ chains, tenants, upkeep, runtime, log });
  return {
    auditChainer,
    auditExport: new AuditExport({ kv, chains, tenants, runtime, chainer: auditChainer }),
    auditVerifier: new AuditVerifier(kv, { runtime, tenants }),
  };
}
