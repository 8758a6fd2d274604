import { z } from "zod";
import { type SealContext, type Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { OIDC_ROLES, type OidcSettings, oidcSettingsSchema } from "../../schemas/oidc_settings.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

export const OIDC_CONNECTIONS_PURPOSE = "oidc connections";

const testSchema = z.object({
  at: z.int(),
  email: z.string(),
  /** Absent if the person would be rejected. */
  role: z.enum(OIDC_ROLES).optional(),
});
const recordSchema = z.object({
  v: z.literal(1),
  settings: oidcSettingsSchema.omit({ clientSecret: true }),
  sealedSecret: z.instanceof(Uint8Array).optional(),
  changedAt: z.int(),
  /** The sign-in that has shown that these settings work; people may use them only after one. */
  test: testSchema.optional(),
});
/** What a test sign-in gave. */
export type OidcTest = z.infer<typeof testSchema>;

/** A tenant's connection to its own provider. */
export interface OidcConnection {
  settings: OidcSettings;
  test: OidcTest | undefined;
  /** Changes with every change. */
  version: string;
  /** The secret cannot be read after a change of the encryption key: it has to be entered again. */
  isUnreadable: boolean;
}

/** Each tenant's connection to an OpenID Connect provider of its own; the client's secret is sealed. */
export class OidcConnectionStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;
  readonly #sealer: Sealer;

  /** The sealer's purpose is `OIDC_CONNECTIONS_PURPOSE`. */
  constructor(
    kv: Deno.Kv,
    { runtime, sealer }: { runtime: Pick<Runtime, "now" | "uuid">; sealer: Sealer },
  ) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#sealer = sealer;
  }

  async read(tenant: string): Promise<OidcConnection | undefined> {
    const entry = await this.#kv.get(keys.oidcConnection(tenant));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const { settings, sealedSecret, test } = record;
    const shared = { test, version: entry.versionstamp! };
    if (sealedSecret === undefined) return { ...shared, settings, isUnreadable: false };
    try {
      const secret = await this.#sealer.unseal(sealedSecret, contextOf(entry.key));
      const clientSecret = new TextDecoder().decode(secret);
      return { ...shared, settings: { ...settings, clientSecret }, isUnreadable: false };
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      return { ...shared, settings, isUnreadable: true };
    }
  }

  /** Sets the connection, which has to be tested before it is used. */
  async set(tenant: string, { clientSecret, ...settings }: OidcSettings): Promise<void> {
    const key = keys.oidcConnection(tenant);
    const sealedSecret = clientSecret === undefined
      ? undefined
      : this.#sealer.sealSync(new TextEncoder().encode(clientSecret), contextOf(key));
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(recordSchema, entry);
      const record = {
        ...{ v: 1, settings, changedAt: this.#runtime.now() },
        ...sealedSecret && { sealedSecret },
      };
      const step = this.#kv.atomic().check(entry).set(key, record);
      this.#record(step, tenant, {
        action: "set up sign-in",
        ...before && { before: auditedFields(before.settings) },
        after: auditedFields(settings),
      });
      return (await step.commit()).ok || undefined;
    }, { what: "oidc connection" });
  }

  /** Records a test sign-in; false if the connection was changed since. */
  async recordTest(tenant: string, version: string, test: OidcTest): Promise<boolean> {
    const entry = await this.#kv.get(keys.oidcConnection(tenant));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined || entry.versionstamp !== version) return false;
    if (test.role === undefined && record.test?.role !== undefined) return true;
    const step = this.#kv.atomic().check(entry).set(entry.key, { ...record, test });
    return (await step.commit()).ok;
  }

  /** False if there is none. */
  async delete(tenant: string): Promise<boolean> {
    const entry = await this.#kv.get(keys.oidcConnection(tenant));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return false;
    const step = this.#kv.atomic().delete(entry.key);
    this.#record(step, tenant, {
      action: "remove sign-in",
      before: auditedFields(record.settings),
    });
    await step.commit();
    return true;
  }

  #record(
    step: Deno.AtomicOperation,
    tenant: string,
    change: Omit<Parameters<typeof recordChange>[2], "tenant" | "kind" | "target">,
  ): void {
    const target = { id: tenant, name: "" };
    recordChange(step, this.#runtime, { tenant, kind: "tenant", target, ...change });
  }
}

export function resealOidcConnections(sealer: Sealer): ResealTask {
  return {
    kind: "oidc connections",
    prefix: keys.allOidcConnections(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const { sealedSecret: secret } = record;
      const sealedSecret = secret && await sealer.reseal(secret, contextOf(entry.key));
      if (sealedSecret === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealedSecret }) };
    },
  };
}

type StoredSettings = Omit<OidcSettings, "clientSecret">;

function auditedFields({ issuer, clientId, scopes, ...rest }: StoredSettings) {
  const { roleClaim, roleMap, defaultRole, emailDomains, trustsEmail, trustsFactors } = rest;
  return {
    ...{ issuer, client_id: clientId, scopes, trusts_email: trustsEmail },
    trusts_factors: trustsFactors,
    ...roleClaim !== undefined && { role_claim: roleClaim },
    roles: roleMap.map(({ value, role }) => `${value}=${role}`).join(", "),
    ...defaultRole !== undefined && { default_role: defaultRole },
    email_domains: emailDomains.join(", "),
  };
}

function contextOf(key: Deno.KvKey): SealContext {
  return key.map(String);
}
