import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import { tryParseJson } from "../../platform/json.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** The secrets of an installation, as `Store` has them. */
export interface Secrets {
  /** The first signs, all verify. */
  readonly hmacSecrets: readonly string[];
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  readonly encryptionKeys: readonly string[];
}

/** 128 MiB and some tenths of a second for each guess of the passphrase. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MAX_COST = { N: 2 ** 20, r: 16, p: 4 };
const PURPOSE = new TextEncoder().encode("agent-chat backup secrets");
export const MIN_PASSPHRASE_LENGTH = 12;

const base64 = z.base64().transform((text) => Uint8Array.fromBase64(text));
const fileSchema = z.object({
  format: z.literal(1),
  scrypt: z.object({
    N: z.int().min(2).max(MAX_COST.N),
    r: z.int().min(1).max(MAX_COST.r),
    p: z.int().min(1).max(MAX_COST.p),
    salt: base64,
  }),
  aes256gcm: z.object({ nonce: base64, ciphertext: base64 }),
});
const secretsSchema = z.object({
  hmacSecrets: z.array(z.string()).min(1),
  encryptionKeys: z.array(z.string()).min(1),
});

/** Wrong passphrase, or a damaged file. */
export class SealedSecretsError extends Error {
  override name = "SealedSecretsError";
}

/** The text of a file that holds the secrets, encrypted under a passphrase. */
export async function sealSecrets(
  { hmacSecrets, encryptionKeys }: Secrets,
  { passphrase, runtime }: { passphrase: string; runtime: Pick<Runtime, "randomBytes"> },
): Promise<string> {
  const [salt, nonce] = [runtime.randomBytes(16), runtime.randomBytes(12)];
  const key = await deriveKey(passphrase, { ...COST, salt });
  const plain = new TextEncoder().encode(JSON.stringify({ hmacSecrets, encryptionKeys }));
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: PURPOSE };
  const ciphertext = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
  const file = {
    format: 1,
    scrypt: { ...COST, salt: salt.toBase64() },
    aes256gcm: { nonce: nonce.toBase64(), ciphertext: ciphertext.toBase64() },
  };
  return JSON.stringify(file, null, 2) + "\n";
}

/** Decrypts a file of `sealSecrets`. Throws `SealedSecretsError`. */
export async function unsealSecrets(text: string, passphrase: string): Promise<Secrets> {
  const parsed = fileSchema.safeParse(tryParseJson(text));
  if (!parsed.success) throw new SealedSecretsError("the file of secrets is damaged");
  const { scrypt, aes256gcm: { nonce, ciphertext } } = parsed.data;
  const key = await deriveKey(passphrase, scrypt);
  const algorithm = { name: "AES-GCM", iv: nonce, additionalData: PURPOSE };
  const plain = await crypto.subtle.decrypt(algorithm, key, ciphertext).catch((cause) => {
    const why = "the passphrase is wrong, or the file of secrets is damaged";
    throw new SealedSecretsError(why, { cause });
  });
  return secretsSchema.parse(JSON.parse(new TextDecoder().decode(plain)));
}

const derive = promisify<
  string,
  Uint8Array,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Uint8Array<ArrayBuffer>
>(scrypt as never);

async function deriveKey(
  passphrase: string,
  { salt, ...cost }: { N: number; r: number; p: number; salt: Uint8Array },
): Promise<CryptoKey> {
  const maxmem = 256 * cost.N * cost.r;
  const bytes = await derive(passphrase.normalize("NFC"), salt, 32, { ...cost, maxmem });
  return await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}
