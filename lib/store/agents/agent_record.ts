import { z } from "zod";
import { isoTime } from "../../platform/runtime.ts";
import { utf8Length } from "../../platform/utf8.ts";
import { type Agent, type AgentBody, agentBodySchema } from "../../schemas/agent.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { keys } from "../keys/keys.ts";
import { chunkKeys, concatBytes, readChunks, splitChunks, totalBytes } from "../values/chunks.ts";
import { CorruptRecordError, parseRecord } from "../values/record.ts";
import { encodedSize } from "../values/value_codec.ts";
import { type StoredPublication, storedPublicationSchema } from "./stored_publication.ts";

/**
 * A body of at most this many characters of JSON is stored in the record itself, if the record then still
 * fits into a value of 65,536 bytes: encoded, a character (of Chinese, say) takes up to 3.
 */
const MAX_INLINE_CHARACTERS = 24_000;
const MAX_RECORD_BYTES = 60_000;
/** One step writes 800 KB: a body and its indexes. */
const MAX_BODY_BYTES = 768 * 1024;

const headSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  createdAt: z.int(),
  updatedAt: z.int(),
  version: z.int().positive(),
  body: agentBodySchema.optional(),
  /** Instead of `body`: the number of chunks of its JSON under `keys.agentBodyChunk`. */
  bodyParts: z.int().positive().optional(),
  /** Size of the body as JSON; absent in records of early releases. */
  bytes: z.int().positive().optional(),
  /** Only in the entry of `keys.agent`. */
  publication: storedPublicationSchema.optional(),
});
type AgentHead = z.infer<typeof headSchema>;

/** An agent with its body, wherever that is stored. */
export type AgentRecord = Omit<AgentHead, "body" | "bodyParts" | "bytes"> & { body: AgentBody };

/**
 * The agent of an entry of `keys.agent` or `keys.agentVersion`. Reads more only for a large body. The
 * chunks of a version never change, so they always belong to the version in the entry.
 */
export async function readAgentRecord(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<unknown>,
): Promise<AgentRecord | undefined> {
  const head = parseRecord(headSchema, entry);
  if (head === undefined) return undefined;
  const { body, bodyParts: _count, bytes: _bytes, ...rest } = head;
  if (body !== undefined) return { ...rest, body };
  const chunks = await readChunks(kv, bodyKeys(String(entry.key[1]), head));
  if (chunks !== undefined && chunks.length > 0) {
    const value: unknown = JSON.parse(new TextDecoder().decode(concatBytes(chunks)));
    const parsed = parseRecord(agentBodySchema, { ...entry, value } as Deno.KvEntryMaybe<unknown>);
    return { ...rest, body: parsed! };
  }
  const fresh = await kv.get(entry.key);
  // Deleted or changed between the two reads: use what is stored now.
  if (fresh.versionstamp !== entry.versionstamp) return await readAgentRecord(kv, fresh);
  throw new CorruptRecordError(`stored record ${String(entry.key[0])} has lost parts of its body`);
}

/**
 * Adds the record to `step`, as the agent and as its version; a large body is stored once for both.
 * Returns the body's size in bytes. Throws `ApiError` 413 for more than 768 KiB.
 */
export function setAgentRecord(
  step: Deno.AtomicOperation,
  tenant: string,
  record: AgentRecord,
): number {
  const { head, chunks, bytes } = packBody(record);
  bodyKeys(tenant, head).forEach((key, n) => step.set(key, chunks[n]));
  // A version is the same whatever is published.
  const { publication: _publication, ...version } = head;
  step
    .set(keys.agent(tenant, record.id), head)
    .set(keys.agentVersion(tenant, record.id, record.version), version);
  return bytes;
}

/** The value of an entry of `keys.agent`, with another publication and the same body. */
export function withPublication(
  entry: Deno.KvEntryMaybe<unknown>,
  publication: StoredPublication,
): unknown {
  return { ...parseRecord(headSchema, entry)!, publication };
}

/** Size of a stored version's body, also of one stored without the number. */
export async function readVersionBytes(kv: Deno.Kv, entry: Deno.KvEntry<unknown>): Promise<number> {
  const head = parseRecord(headSchema, entry)!;
  if (head.bytes !== undefined) return head.bytes;
  if (head.body !== undefined) return utf8Length(JSON.stringify(head.body));
  return totalBytes(await readChunks(kv, bodyKeys(String(entry.key[1]), head)) ?? []);
}

function packBody(record: AgentRecord): { head: AgentHead; chunks: Uint8Array[]; bytes: number } {
  const text = JSON.stringify(record.body);
  if (text.length <= MAX_INLINE_CHARACTERS) {
    const bytes = utf8Length(text);
    // Parsed from its text, so that no field is `undefined`.
    const head = { ...record, body: JSON.parse(text), bytes };
    if (encodedSize(head) <= MAX_RECORD_BYTES) return { head, chunks: [], bytes };
  }
  const encoded = new TextEncoder().encode(text);
  if (encoded.length > MAX_BODY_BYTES) {
    throw new ApiError("payload_too_large", "the agent is larger than 768 KiB");
  }
  const chunks = splitChunks(encoded);
  const { body: _body, ...rest } = record;
  const bytes = encoded.length;
  return { head: { ...rest, bodyParts: chunks.length, bytes }, chunks, bytes };
}

function bodyKeys(tenant: string, { id, version, bodyParts = 0 }: AgentHead): Deno.KvKey[] {
  return chunkKeys(bodyParts, (n) => keys.agentBodyChunk(tenant, id, version, n));
}

/** The agent as the API returns it. */
export function toAgent(record: AgentRecord): Agent {
  return {
    id: record.id,
    ...record.body,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    version: record.version,
  };
}
