import { z } from "zod";
import { hmacSecretId } from "../../platform/crypto/hashing.ts";
import { type ApiKeyRecord, apiKeyRecordSchema, apiKeyState } from "./api_key_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** `signing` hashes new API keys; there may be keys under any of `ids`. */
const recordSchema = z.object({ v: z.literal(1), signing: z.string(), ids: z.array(z.string()) });

/** API keys in the store are hashed with secrets that this process does not have. */
export class MissingHmacSecretError extends Error {
  override name = "MissingHmacSecretError";
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`the store has been used with HMAC secrets that are missing: ${ids.join(", ")}`);
    this.ids = ids;
  }
}

/**
 * Records that a process hashes API keys with the first of `ids` and verifies them with all. Throws
 * `MissingHmacSecretError` if the process lacks the secret that the store's other processes sign with, or
 * one that a valid key depends on: it would reject valid keys, or create keys that the others reject. Other
 * secrets are dropped from the record. Of processes that start together with different secrets, one succeeds.
 */
export async function registerHmacSecrets(
  kv: Deno.Kv,
  ids: readonly string[],
  { now }: { now: () => number },
): Promise<void> {
  await retryUntilCommitted(async () => {
    const entry = await kv.get(keys.hmacSecrets());
    const used = parseRecord(recordSchema, entry);
    const gone = used?.ids.filter((id) => !ids.includes(id)) ?? [];
    const needed = gone.length === 0
      ? []
      : await findNeeded(kv, { gone, signing: used!.signing, now });
    if (needed.length > 0) throw new MissingHmacSecretError(needed);
    if (used?.signing === ids[0] && used?.ids.join() === ids.join()) return true;
    return await commit(kv, entry, ids);
  }, { what: "HMAC secrets" });
}

/** Makes `ids` the only secrets of the store: API keys hashed with other secrets become invalid. */
async function resetHmacSecrets(kv: Deno.Kv, ids: readonly string[]): Promise<void> {
  await retryUntilCommitted(
    async () => await commit(kv, await kv.get(keys.hmacSecrets()), ids),
    { what: "HMAC secrets" },
  );
}

/** The HMAC secrets of one process, as a command works on them. */
export class HmacSecrets {
  readonly #kv: Deno.Kv;
  readonly #secrets: readonly string[];

  constructor(kv: Deno.Kv, secrets: readonly string[]) {
    this.#kv = kv;
    this.#secrets = secrets;
  }

  /** Makes this process's secrets the only ones of the store; returns the id of the first. */
  async discardOthers(): Promise<string> {
    const ids = this.#secrets.map(hmacSecretId);
    await resetHmacSecrets(this.#kv, ids);
    return ids[0]!;
  }
}

async function commit(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<unknown>,
  ids: readonly string[],
): Promise<true | undefined> {
  const record = { v: 1, signing: ids[0]!, ids };
  return (await kv.atomic().check(entry).set(entry.key, record).commit()).ok || undefined;
}

/** Those of the secrets `gone` that are still needed. */
async function findNeeded(
  kv: Deno.Kv,
  { gone, signing, now }: { gone: readonly string[]; signing: string; now: () => number },
): Promise<string[]> {
  const needed = new Set(gone.filter((id) => id === signing));
  for await (const entry of kv.list({ prefix: keys.allApiKeys() })) {
    const record = parseRecord(apiKeyRecordSchema, entry);
    for (const id of record === undefined ? [] : signingSecretsOf(record, { gone, now: now() })) {
      needed.add(id);
    }
  }
  return gone.filter((id) => needed.has(id));
}

/** The secrets that a valid key may be hashed with; an old record does not name one. */
function signingSecretsOf(
  record: ApiKeyRecord,
  { gone, now }: { gone: readonly string[]; now: number },
): readonly string[] {
  if (apiKeyState(record, now) !== "active") return [];
  const live = record.secrets.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now);
  return live.flatMap(({ signedBy }) => signedBy === undefined ? gone : [signedBy]);
}
