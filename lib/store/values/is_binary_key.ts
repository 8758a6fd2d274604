import { keys } from "../keys/keys.ts";

/** Everything under these first parts of a key is bytes. */
const BINARY_PREFIXES: ReadonlySet<unknown> = new Set([
  keys.agentBodyChunk("", "", 0, 0)[0],
  keys.allTranscriptChunks()[0],
  keys.knowledgeBaseSourceChunks("", "")[0],
  keys.allRunInputChunks()[0],
  keys.allRunLogChunks()[0],
  keys.scriptReleasePart("", "", 0)[0],
]);
const IDEMPOTENCY_PREFIX = keys.idempotencyRecords()[0];
const IDEMPOTENCY_KEY_LENGTH = keys.idempotencyRecord("").length;
const PASSAGES_PREFIX = keys.knowledgeBasePassageChunks("", "")[0];
const CLAIM_POSITION = keys.documentVectorChunks({ tenant: "", base: "", id: "" }, "", "").indexOf(
  "vectors",
);

/**
 * Whether the value under a key is bytes by themselves (encrypted text, uploads, vectors), which are stored
 * as they are. The key decides, never the bytes: parts of an upload, of a ciphertext and of vectors may
 * begin with anything, so no mark at the beginning of a record would tell it from them.
 */
export function isBinaryKey(key: Deno.KvKey): boolean {
  const [kind] = key;
  if (BINARY_PREFIXES.has(kind)) return true;
  if (kind === IDEMPOTENCY_PREFIX) return key.length > IDEMPOTENCY_KEY_LENGTH;
  return kind === PASSAGES_PREFIX && key[CLAIM_POSITION] !== "claims";
}
