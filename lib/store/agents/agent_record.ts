import { z } from "zod";
import { ApiError } from "../../schemas/api_error.ts";
import { utf8Length } from "../../platform/utf8.ts";
import { isoTime } from "../../platform/runtime.ts";
import { type Agent, type AgentBody, agentBodySchema } from "../../schemas/agent.ts";
import { keys } from "../keys/keys.ts";
import { joinChunks, readChunks, splitChunks, totalBytes } from "../values/chunks.ts";
import { CorruptRecordError, parseRecord } from "../values/record.ts";
import { encodedSize } from "../values/value_codec.ts";

/**
 * Bodies of at most this many characters of JSON stand in the record itself, unless it then takes more
 * bytes than a value may: encoded, a character takes up to 3 (of Chinese), and a value has room for 65,536.
 */
const MAX_INLINE_CHARACTERS = 24_000;
const MAX_RECORD_BYTES = 60_000;
/** One step writes 800 KB: a body and what goes with it. */
const MAX_BODY_BYTES = 768 * 1024;

const headSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  createdAt: z.int(),
  updatedAt: z.int(),
  version: z.int().positive(),
  body: agentBodySchema.optional(),
  /** Instead of `body`: its JSON stands in this many parts under `keys.agentBodyPart`. */
  bodyParts: z.int().positive().optional(),
  /** Of the body as JSON; absent where it was stored before bytes were counted. */
  bytes: z.int().positive().optional(),
});
type AgentHead = z.infer<typeof headSchema>;

/** An agent with its body, wherever that is stored. */
export type AgentRecord = Omit<AgentHead, "body" | "bodyParts" | "bytes"> & { body: AgentBody };

/**
 * The agent behind the stored value of `keys.agent` or `keys.agentVersion`; `undefined` when there is
 * none. That value is all there is to read, unless the body is a large one. A version's parts never
 * change, so they are those of this very version whatever happens between the reads.
 */
export async function readAgentRecord(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<unknown>,
): Promise<AgentRecord | undefined> {
  const head = parseRecord(headSchema, entry);
  if (head === undefined) return undefined;
  const { body, bodyParts = 0, bytes: _bytes, ...rest } = head;
  if (body !== undefined) return { ...rest, body };
  const tenant = String(entry.key[1]);
  const parts = await readChunks(kv, chunkKeys(tenant, head, bodyParts));
  if (parts !== undefined && parts.length > 0) {
    const value: unknown = JSON.parse(new TextDecoder().decode(joinChunks(parts)));
    const parsed = parseRecord(agentBodySchema, { ...entry, value } as Deno.KvEntryMaybe<unknown>);
    return { ...rest, body: parsed! };
  }
  const fresh = await kv.get(entry.key);
  // Deleted, or long since changed, between the two reads: what is there now is the answer.
  if (fresh.versionstamp !== entry.versionstamp) return await readAgentRecord(kv, fresh);
  throw new CorruptRecordError(`stored record ${String(entry.key[0])} has lost parts of its body`);
}

/**
 * Adds the record to `change`, as the agent and as this version of it. A large body is stored once,
 * for both, and answers how many bytes it is. Throws `ApiError` 413 for one beyond 768 KiB.
 */
export function setAgentRecord(
  change: Deno.AtomicOperation,
  tenant: string,
  record: AgentRecord,
): number {
  const { head, parts, bytes } = packBody(record);
  chunkKeys(tenant, record, parts.length).forEach((key, n) => change.set(key, parts[n]));
  change
    .set(keys.agent(tenant, record.id), head)
    .set(keys.agentVersion(tenant, record.id, record.version), head);
  return bytes;
}

/** How many bytes the body of a stored version is, also of one that was stored without the number. */
export async function readVersionBytes(kv: Deno.Kv, entry: Deno.KvEntry<unknown>): Promise<number> {
  const head = parseRecord(headSchema, entry)!;
  if (head.bytes !== undefined) return head.bytes;
  if (head.body !== undefined) return utf8Length(JSON.stringify(head.body));
  const parts = await readChunks(kv, chunkKeys(String(entry.key[1]), head, head.bodyParts ?? 0));
  return parts === undefined ? 0 : totalBytes(parts);
}

function packBody(
  record: AgentRecord,
): { head: AgentHead; parts: Uint8Array[]; bytes: number } {
  const text = JSON.stringify(record.body);
  if (text.length <= MAX_INLINE_CHARACTERS) {
    const bytes = utf8Length(text);
    // Read from its text, so that no field is `undefined`.
    const head = { ...record, body: JSON.parse(text), bytes };
    if (encodedSize(head) <= MAX_RECORD_BYTES) return { head, parts: [], bytes };
  }
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiError("payload_too_large", "the agent is larger than 768 KiB");
  }
  const parts = splitChunks(bytes);
  const { body: _stored, ...rest } = record;
  const head = { ...rest, bodyParts: parts.length, bytes: bytes.length };
  return { head, parts, bytes: bytes.length };
}

function chunkKeys(
  tenant: string,
  { id, version }: { id: string; version: number },
  count: number,
): Deno.KvKey[] {
  return Array.from({ length: count }, (_, n) => keys.agentBodyChunk(tenant, id, version, n));
}

/** The agent as the interface tells of it. */
export function toAgent(record: AgentRecord): Agent {
  return {
    id: record.id,
    ...record.body,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    version: record.version,
  };
}
