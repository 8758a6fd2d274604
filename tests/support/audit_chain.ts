import { Sealer } from "@/lib/platform/crypto/sealing.ts";
import { createLogger } from "@/lib/platform/log.ts";
import { AuditChainer } from "@/lib/services/audit/audit_chainer.ts";
import type { AuditReport } from "@/lib/services/audit/audit_report.ts";
import { AuditUpkeep } from "@/lib/services/audit/audit_upkeep.ts";
import { AuditVerifier } from "@/lib/services/audit/audit_verifier.ts";
import { runAs } from "@/lib/store/audit/actor.ts";
import { AuditChainStore } from "@/lib/store/audit/audit_chain_store.ts";
import type { AuditLink } from "@/lib/store/audit/audit_chain.ts";
import { type AuditedChange, recordChange } from "@/lib/store/audit/audit_record.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { openSigningKeys, SIGNING_PURPOSE } from "@/lib/store/signing/signing_keys.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { TEST_ENCRYPTION_KEY } from "./encryption_keys.ts";
import { FakeRuntime, fakeUuid } from "./fake_runtime.ts";
import { openTestKv } from "./open_kv.ts";

export const DAY = 86_400_000;
export const ANN = { kind: "user", id: fakeUuid(901), name: "ann@example.com" } as const;

/** The audit logs of one tenant, and a process that chains them. */
export type AuditChainFixture = Awaited<ReturnType<typeof openAuditChain>>;

/** With `kv`, as another process of the same store and clock. */
export async function openAuditChain(
  { kv: shared, runtime = new FakeRuntime() }: { kv?: Deno.Kv; runtime?: FakeRuntime } = {},
) {
  const kv = shared ?? await openTestKv();
  const { randomBytes } = runtime;
  const logged: string[] = [];
  const log = createLogger({ level: "debug", json: true, write: (line) => logged.push(line) });
  const sealer = new Sealer([TEST_ENCRYPTION_KEY], { purpose: SIGNING_PURPOSE, randomBytes });
  const signing = await openSigningKeys(kv, { sealer, randomBytes, now: runtime.now });
  const tenants = new TenantStore(kv, runtime);
  const tenant = (await tenants.ensureDefault()).id;
  const chains = new AuditChainStore(kv, runtime);
  const upkeep = new AuditUpkeep({ kv, chains, tenants, signing, runtime, log });
  const chainer = new AuditChainer({ chains, tenants, upkeep, runtime, log });
  const verifier = new AuditVerifier(kv, { runtime, tenants });
  return {
    ...{ kv, runtime, logged, signing, tenants, tenant, chains, chainer },
    /** Stores entries named by their targets, one second apart. */
    async record(names: readonly string[], change: Partial<AuditedChange> = {}): Promise<void> {
      for (const name of names) {
        await runtime.advance(1_000);
        const step = kv.atomic();
        runAs(ANN, () =>
          recordChange(step, runtime, {
            ...{ tenant, kind: "agent", action: "change", target: { id: name, name } },
            ...change,
          }));
        await step.commit();
      }
    },
    verify: (keys?: string[]): Promise<AuditReport> => verifier.verify(tenant, keys),
    /** The links in their order. */
    links: (): Promise<Deno.KvEntry<AuditLink>[]> =>
      Array.fromAsync(kv.list<AuditLink>({ prefix: keys.auditLinks(tenant) })),
    /** The entry with a target's name. */
    async entry(name: string): Promise<Deno.KvEntry<Record<string, unknown>>> {
      const rows = kv.list<{ target: { name: string } }>({ prefix: keys.auditEntries(tenant) });
      for await (const row of rows) {
        if (row.value.target.name === name) return row as never;
      }
      throw new Error(`there is no entry ${name}`);
    },
    [Symbol.dispose]: () => shared === undefined && kv.close(),
  };
}
