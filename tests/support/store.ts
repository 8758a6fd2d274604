import { type ContentCipher, contentContexts } from "@/lib/store/encryption/content_cipher.ts";
import { concatBytes } from "@/lib/store/values/chunks.ts";
import { contentCipher } from "./content.ts";

/** Every key of a store as text, without the audit log and counters. */
export async function storedKeys(kv: Deno.Kv): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of kv.list({ prefix: [] })) found.push(key.join("/"));
  return found.filter((key) => !/^(audit_|storage_usage)/.test(key));
}

/**
 * Everything in a store as one text with content decrypted, to check what must not be stored.
 * `content: undefined` leaves content encrypted, as in a stolen store.
 */
export async function storedText(
  kv: Deno.Kv,
  { content }: { content: ContentCipher | undefined } = { content: contentCipher() },
): Promise<string> {
  const rows: string[] = [];
  for await (const { key, value } of kv.list<unknown>({ prefix: [] })) {
    const opened = content === undefined ? value : await openContent(key, { value, content });
    rows.push(JSON.stringify([key, opened], bytesAsText));
  }
  return rows.join("\n");
}

/** One character per byte, because JSON arrays of bytes could not be searched. */
function bytesAsText(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value;
}

/** A value with its content decrypted. */
async function openContent(
  key: Deno.KvKey,
  { value, content }: { value: unknown; content: ContentCipher },
): Promise<unknown> {
  if (value instanceof Uint8Array) {
    const isContent = ["run_chunks", "runs_asked", "conversation_parts"].includes(String(key[0]));
    return isContent ? await content.unseal(value, key as string[]) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const [of, tenant, runId] = key as string[];
  const opened: Uint8Array[] = [];
  const open = async (bytes: unknown, place: readonly (string | number)[]) => {
    if (bytes instanceof Uint8Array) opened.push(await content.unseal(bytes, place));
  };
  const { asked, log, tail, frames, words, sealed, runId: row } = value as Record<string, unknown>;
  const state = (log ?? { tail, frames }) as { tail: unknown; frames: number };
  if (of === "live_runs" || of === "run_heads") {
    await open(asked, contentContexts.input(tenant!, runId!));
    await open(state.tail, contentContexts.logTail(tenant!, runId!, state.frames));
  }
  if (of === "conversation_runs") {
    await open(words, contentContexts.transcript(tenant!, String(row), 0));
  }
  if (of === "visitor_memories") await open(sealed, key as string[]);
  if (of === "run_feedback") await open(sealed, contentContexts.feedback(tenant!, runId!));
  if (of === "runs") await open(sealed, contentContexts.details(tenant!, runId!));
  return [value, concatBytes(opened)];
}
