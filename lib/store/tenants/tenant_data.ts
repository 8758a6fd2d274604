import { sha256 } from "../../platform/crypto/signer.ts";
import { keys } from "../keys/keys.ts";
import { TENANT_FAMILIES } from "./tenant_families.ts";

/** Keys of one step: at most 80 KB of them. */
const KEYS_PER_STEP = 200;
/** Values may have 64 KiB, and are read to delete their keys. */
const BATCH_SIZE = 50;

/** Their values name the tenant. */
const SIGN_IN_FAMILIES = [
  ...["sign_ins", "oidc_attempts", "oidc_identities", "oidc_sessions", "oidc_sessions_by_name"],
];

/** True if the rest is to be left to a later attempt. */
export type IsDue = () => boolean;

/** What an attempt did: how many records it deleted, and whether it came to the end. */
export interface DeletionPass {
  deleted: number;
  isComplete: boolean;
}

type Row = Deno.KvEntry<Record<string, unknown> | null>;

/**
 * Deletes every record of a tenant but the tenant's own. Records are not validated: one that no version can
 * read is deleted too. Each pass looks for everything, so an attempt that died is simply made again.
 */
export class TenantData {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  async delete(tenant: string, isDue: IsDue): Promise<DeletionPass> {
    const pass: DeletionPass = { deleted: 0, isComplete: false };
    // Before the records that say which ones they are.
    for await (const found of this.#shared(tenant)) {
      if (!await this.#deleteAll(found, { pass, isDue })) return pass;
    }
    for (const family of TENANT_FAMILIES) {
      const rows = this.#family([family, tenant]);
      if (!await this.#deleteAll(rows, { pass, isDue })) return pass;
    }
    return { ...pass, isComplete: true };
  }

  /** False if some are left. */
  async #deleteAll(
    rows: AsyncIterable<{ key: Deno.KvKey }>,
    { pass, isDue }: { pass: DeletionPass; isDue: IsDue },
  ): Promise<boolean> {
    let step = this.#kv.atomic();
    let size = 0;
    for await (const { key } of rows) {
      step.delete(key);
      pass.deleted++;
      if (++size < KEYS_PER_STEP) continue;
      await step.commit();
      [step, size] = [this.#kv.atomic(), 0];
      if (isDue()) return false;
    }
    if (size > 0) await step.commit();
    return !isDue();
  }

  /** The tenant's records in families of all tenants together. */
  async *#shared(tenant: string): AsyncGenerator<AsyncIterable<{ key: Deno.KvKey }>> {
    const isOfTenant = ({ value }: Row) => value?.tenant === tenant;
    for (const name of ["shares", "stop_requests"]) yield this.#filter([name], isOfTenant);
    const due = ({ key }: Row) => key[2] === tenant;
    yield this.#filter([...keys.attachmentsDue()], due);
    yield this.#byKeys(keys.allAgents(tenant), ({ key }) => [keys.appearance(String(key[2]))]);
    const ids = new Set<unknown>();
    for await (const { key } of this.#list(keys.apiKeys(tenant))) ids.add(key[2]);
    if (ids.size > 0) yield this.#receipts(ids);
    yield this.#filter(["api_keys_by_prefix"], isOfTenant);
    yield this.#filterFamilies(SIGN_IN_FAMILIES, isOfTenant);
    const isLinkOf = (row: Row) =>
      isOfTenant(row) || (row.value?.by as { tenant?: string } | undefined)?.tenant === tenant;
    yield this.#filter(["account_links"], isLinkOf);
    yield this.#byKeys(keys.users(tenant), async ({ value }) => [
      [...keys.signInFailures(await sha256(String(value?.email)))],
    ]);
    yield this.#filter(["users_by_email"], isOfTenant);
    // Who its accounts are in other tenants, and who others' accounts are in it.
    yield this.#byKeys(keys.allMemberships(tenant), ({ key, value }) => [
      keys.user(String(key[3]), String(value?.userId)),
      keys.membershipAccount(String(key[3]), String(value?.userId)),
    ]);
    yield this.#byKeys(keys.membershipAccounts(tenant), ({ value }) => [
      keys.membership(String(value?.tenant), String(value?.id), tenant),
    ]);
  }

  /** A prefix does not include the record that is its key: some families have one record of a tenant. */
  async *#family(prefix: Deno.KvKey) {
    const own = await this.#kv.get(prefix);
    if (own.versionstamp !== null) yield own;
    yield* this.#list(prefix);
  }

  async *#filter(prefix: Deno.KvKey, isWanted: (row: Row) => boolean) {
    for await (const row of this.#list(prefix)) if (isWanted(row)) yield row;
  }

  async *#filterFamilies(families: readonly string[], isWanted: (row: Row) => boolean) {
    for (const family of families) yield* this.#filter([family], isWanted);
  }

  /** The existing records that other records lead to. */
  async *#byKeys(
    prefix: Deno.KvKey,
    keysOf: (row: Row) => Deno.KvKey[] | Promise<Deno.KvKey[]>,
  ) {
    for await (const row of this.#list(prefix)) {
      for (const entry of await this.#kv.getMany(await keysOf(row))) {
        if (entry.versionstamp !== null) yield entry;
      }
    }
  }

  /** The first answers to requests with these API keys, and the chunks behind them. */
  async *#receipts(apiKeys: ReadonlySet<unknown>) {
    let scope: unknown;
    for await (const row of this.#list(keys.idempotencyRecords())) {
      const [, own, chunk] = row.key;
      if (chunk === undefined && apiKeys.has(row.value?.apiKey)) scope = own;
      if (own === scope) yield row;
    }
  }

  #list(prefix: Deno.KvKey): Deno.KvListIterator<Row["value"]> {
    return this.#kv.list<Row["value"]>({ prefix }, { batchSize: BATCH_SIZE });
  }
}
