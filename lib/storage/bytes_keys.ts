import { keys } from "./keys.ts";

/** Everything under these first parts of a key is bytes. */
const BYTES_ONLY: ReadonlySet<unknown> = new Set([
  keys.agentBodyPart("", "", 0, 0)[0],
  keys.allConversationParts()[0],
  keys.documentSourcesOf("", "")[0],
  keys.allRunAskedParts()[0],
  keys.allRunChunks()[0],
  keys.scriptReleasePart("", "", 0)[0],
]);
const RECEIPTS = keys.receipts()[0];
const RECEIPT_LENGTH = keys.receipt("").length;
const CHUNKS = keys.documentChunksOf("", "")[0];
const CLAIM_AT = keys.documentVectors({ tenant: "", base: "", id: "" }, "", "").indexOf("vectors");

/**
 * Whether the value under a key is bytes by themselves (encrypted text, uploads, vectors), which are stored
 * as they are. The key decides, never the bytes: parts of an upload, of a ciphertext and of vectors may
 * begin with anything, so no mark at the beginning of a record would tell it from them.
 */
export function holdsBytes(key: Deno.KvKey): boolean {
  const [kind] = key;
  if (BYTES_ONLY.has(kind)) return true;
  if (kind === RECEIPTS) return key.length > RECEIPT_LENGTH;
  return kind === CHUNKS && key[CLAIM_AT] !== "claims";
}
