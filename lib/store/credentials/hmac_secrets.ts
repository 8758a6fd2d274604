import { z } from "zod";
import { hmacSecretId } from "../../platform/crypto/signer.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import { type ApiKeyRecord, apiKeyRecordSchema, apiKeyState } from "./api_key_record.ts";

/** `signing` hashes new API keys; existing keys may be hashed with any of `ids`. */
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
    const missing = used?.ids.filter((id) => !ids.includes(id)) ?? [];
    const needed = missing.length === 0
      ? []
      : await findNeeded(kv, { missing, signing: used!.signing, now: now() });
    if (needed.length > 0) throw new MissingHmacSecretError(needed);
    if (used?.signing === ids[0] && used?.ids.join() === ids.join()) return true;
    const step = kv.atomic().check(entry).set(entry.key, toRecord(ids));
    return (await step.commit()).ok || undefined;
  }, { what: "HMAC secrets" });
}

function toRecord(ids: readonly string[]) {
  return { v: 1, signing: ids[0]!, ids };
}

/** The HMAC secrets of one process, for the command line. */
export class HmacSecrets {
  readonly #kv: Deno.Kv;
  readonly #secrets: readonly string[];

  constructor(kv: Deno.Kv, secrets: readonly string[]) {
    this.#kv = kv;
    this.#secrets = secrets;
  }

  /**
   * Makes this process's secrets the only ones of the store and returns the id of the first: API keys
   * hashed with other secrets become invalid.
   */
  async discardOthers(): Promise<string> {
    const ids = this.#secrets.map(hmacSecretId);
    await this.#kv.set(keys.hmacSecrets(), toRecord(ids));
    return ids[0]!;
  }
}

/** Which of the `missing` secrets valid keys depend on, or other processes sign with. */
async function findNeeded(
  kv: Deno.Kv,
  { missing, signing, now }: { missing: readonly string[]; signing: string; now: number },
): Promise<string[]> {
  const needed = new Set([signing]);
  for await (const entry of kv.list({ prefix: keys.allApiKeys() })) {
    const record = parseRecord(apiKeyRecordSchema, entry)!;
    for (const id of signingSecretsOf(record, { missing, now })) needed.add(id);
  }
  return missing.filter((id) => needed.has(id));
}

/** The secrets that a valid key may be hashed with; an old record names none. */
function signingSecretsOf(
  record: ApiKeyRecord,
  { missing, now }: { missing: readonly string[]; now: number },
): readonly string[] {
  if (apiKeyState(record, now) !== "active") return [];
  const live = record.secrets.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now);
  return live.flatMap(({ signedBy }) => signedBy === undefined ? missing : [signedBy]);
}
