import { z } from "zod";

/** In front of a fingerprint that is keyed; earlier versions stored the digest alone. */
const KEYED_PREFIX = "keyed:";

/** Which run a chat's `Idempotency-Key` began. */
export const chatIdempotencySchema = z.object({
  v: z.literal(1),
  fingerprint: z.string(),
  runId: z.string(),
  /** Milliseconds; decides, `expireIn` only collects garbage. */
  exp: z.int(),
});

/** A fingerprint that nobody without the key can guess a message by. */
export function toKeyedFingerprint(digest: string, keyed: (digest: string) => string): string {
  return digest.startsWith(KEYED_PREFIX) ? digest : KEYED_PREFIX + keyed(digest);
}
