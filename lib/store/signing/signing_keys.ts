import { z } from "zod";
import {
  type Ed25519Jwk,
  Ed25519Signer,
  PRIVATE_KEY_BYTES,
  toJwk,
} from "../../platform/crypto/ed25519.ts";
import { type Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { keys } from "../keys/keys.ts";
import { bytesSchema } from "../values/chunks.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** Seals the private keys. */
export const SIGNING_PURPOSE = "signing keys";

/** The installation's key pairs, oldest first; the last one signs. */
const signingKeysSchema = z.object({
  v: z.literal(1),
  keys: z.array(z.object({ x: z.string(), sealed: bytesSchema, createdAt: z.int() })),
});
type StoredKeys = z.infer<typeof signingKeysSchema>;

export interface SigningKeys {
  signer: Ed25519Signer;
  /** The public keys, oldest first; the last one is that of `signer`. */
  published: Ed25519Jwk[];
  /** Those of them whose private keys this process can decrypt: nobody else has added them. */
  own: Ed25519Jwk[];
}

interface SigningKeysDeps {
  sealer: Sealer;
  now: () => number;
  randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
}

/**
 * The keys of all processes on a store. The first call creates a pair; so does one that cannot decrypt the
 * last private key, because its encryption key was given up. Public keys stay: what they prove stays proven.
 */
export async function openSigningKeys(kv: Deno.Kv, deps: SigningKeysDeps): Promise<SigningKeys> {
  return await retryUntilCommitted(async () => {
    const entry = await kv.get(keys.signingKeys());
    const stored = parseRecord(signingKeysSchema, entry)?.keys ?? [];
    const secret = await unsealLast(stored, deps.sealer);
    if (secret !== undefined) {
      return await keysOf(new Ed25519Signer(secret), stored, deps.sealer);
    }
    const added = await addKey(kv, { entry, stored, ...deps });
    return added && await keysOf(added.signer, added.keys, deps.sealer);
  }, { what: "signing keys" });
}

async function keysOf(
  signer: Ed25519Signer,
  stored: StoredKeys["keys"],
  sealer: Sealer,
): Promise<SigningKeys> {
  const secrets = await Promise.all(stored.map((one) => unsealLast([one], sealer)));
  const own = stored.filter(({ x }, n) => {
    const secret = secrets[n];
    return secret !== undefined && new Ed25519Signer(secret).jwk.x === x;
  });
  return { signer, published: toJwks(stored), own: toJwks(own) };
}

/** The public keys of the installation, oldest first; none before the first call of `openSigningKeys`. */
export async function listSigningKeys(kv: Deno.Kv): Promise<Ed25519Jwk[]> {
  return toJwks(parseRecord(signingKeysSchema, await kv.get(keys.signingKeys()))?.keys ?? []);
}

/** Adds a pair that signs from each process's next start on; `undefined` if another process was faster. */
async function addKey(
  kv: Deno.Kv,
  { entry, stored, sealer, now, randomBytes }: SigningKeysDeps & {
    entry: Deno.KvEntryMaybe<unknown>;
    stored: StoredKeys["keys"];
  },
): Promise<{ signer: Ed25519Signer; keys: StoredKeys["keys"] } | undefined> {
  const secret = randomBytes(PRIVATE_KEY_BYTES);
  const signer = new Ed25519Signer(secret);
  const { x } = signer.jwk;
  const added = [...stored, { x, sealed: sealer.sealSync(secret, contextOf(x)), createdAt: now() }];
  const value: StoredKeys = { v: 1, keys: added };
  const { ok } = await kv.atomic().check(entry).set(entry.key, value).commit();
  return ok ? { signer, keys: added } : undefined;
}

async function unsealLast(
  stored: StoredKeys["keys"],
  sealer: Sealer,
): Promise<Uint8Array | undefined> {
  const last = stored.at(-1);
  if (last === undefined) return undefined;
  try {
    return await sealer.unseal(last.sealed, contextOf(last.x));
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Seals the private keys with the current encryption key; those that cannot be decrypted stay. */
export async function resealSigningKeys(kv: Deno.Kv, sealer: Sealer): Promise<void> {
  const entry = await kv.get(keys.signingKeys());
  const stored = parseRecord(signingKeysSchema, entry)?.keys ?? [];
  const resealed = await Promise.all(stored.map(async (one) => {
    const secret = sealer.isCurrent(one.sealed) ? undefined : await unsealLast([one], sealer);
    return secret ? { ...one, sealed: sealer.sealSync(secret, contextOf(one.x)) } : one;
  }));
  if (resealed.every((one, n) => one === stored[n])) return;
  await kv.atomic().check(entry).set(entry.key, { v: 1, keys: resealed }).commit();
}

function toJwks(stored: StoredKeys["keys"]): Ed25519Jwk[] {
  return stored.map(({ x }) => toJwk(x));
}

function contextOf(x: string): (string | number)[] {
  return ["installation", "signing_keys", x];
}
