import { keys } from "../keys/keys.ts";

/** The first parts of keys under which everything is bytes. */
const BINARY_PREFIXES: ReadonlySet<unknown> = new Set([
  keys.agentBodyChunk("", "", 0, 0)[0],
  keys.allTranscriptChunks()[0],
  keys.knowledgeBaseSourceChunks("", "")[0],
  keys.allRunInputChunks()[0],
  keys.allRunLogChunks()[0],
  keys.scriptReleaseChunk("", "", 0)[0],
]);
const [IDEMPOTENCY_PREFIX] = keys.idempotencyRecords();
const IDEMPOTENCY_KEY_LENGTH = keys.idempotencyRecord("").length;
const [PASSAGES_PREFIX] = keys.knowledgeBasePassageChunks("", "");
const VECTORS_KEY = keys.documentVectorChunks({ tenant: "", base: "", id: "" }, "", "");
const CLAIM_POSITION = VECTORS_KEY.indexOf("vectors");

/**
 * True if the value under a key is plain bytes (encrypted text, uploads, vectors), which are stored
 * unencoded. The key decides, because such bytes may begin with anything: no marker at the start of a
 * record would be unambiguous.
 */
export function isBinaryKey(key: Deno.KvKey): boolean {
  const [kind] = key;
  if (BINARY_PREFIXES.has(kind)) return true;
  if (kind === IDEMPOTENCY_PREFIX) return key.length > IDEMPOTENCY_KEY_LENGTH;
  return kind === PASSAGES_PREFIX && key[CLAIM_POSITION] !== "claims";
}
