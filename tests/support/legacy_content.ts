import { DatabaseSync } from "node:sqlite";
import { sha256 } from "@/lib/platform/crypto/signer.ts";
import { contentContexts } from "@/lib/store/encryption/content_cipher.ts";
import type { Conversation, RunRow } from "@/lib/store/conversations/conversation_record.ts";
import type { RunLogHead } from "@/lib/store/runs/run_log_head.ts";
import { unsealRunDetails } from "@/lib/store/runs/run_details.ts";
import type { RunRecord } from "@/lib/store/runs/run_record.ts";
import { contentCipher } from "./content.ts";

/**
 * Rewrites stored content like versions without encryption: plaintext, and digests without a key. The
 * messages must be short enough to be complete in the transcript.
 */
export async function storeLegacyContent(kv: Deno.Kv): Promise<void> {
  const content = contentCipher();
  for (const prefix of ["run_chunks", "conversation_parts"]) {
    for await (const { key, value } of kv.list<Uint8Array>({ prefix: [prefix] })) {
      await kv.set(key, await content.unseal(value, key as string[]));
    }
  }
  for await (const { key, value } of kv.list<RunLogHead>({ prefix: ["run_heads"] })) {
    const place = contentContexts.logTail(value.tenant, value.runId, value.frames);
    await kv.set(key, { ...value, tail: await content.unseal(value.tail, place) });
  }
  for await (const { key, value } of kv.list<RunRecord>({ prefix: ["runs"] })) {
    await kv.set(key, await unsealRunDetails(value, { content }));
  }
  const said = new Map<string, string[]>();
  for await (const { key, value } of kv.list<RunRow>({ prefix: ["conversation_runs"] })) {
    if (value.words === undefined) continue;
    const place = contentContexts.transcript(String(key[1]), value.runId, 0);
    const words = await content.unseal(value.words, place);
    await kv.set(key, { ...value, words });
    const { messages, text } = JSON.parse(new TextDecoder().decode(words));
    const all = [...messages, { role: "assistant", content: text }];
    const digests = await Promise.all(all.map(({ role, content }) => {
      return sha256(`${role} ${content.trim()}`).then((hash) => hash.slice(0, 11));
    }));
    const id = String(key[2]);
    said.set(id, [...said.get(id) ?? [], ...digests]);
  }
  for await (const { key, value } of kv.list<Conversation>({ prefix: ["conversations"] })) {
    const { digests: _digests, ...head } = value;
    await kv.set(key, { ...head, known: said.get(value.id) ?? ["long-unkeyd"] });
  }
}

/** Expiry time in milliseconds of each value in a closed store file, by key as Latin-1. */
export function expiryTimes(path: string): Map<string, number> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT k, expiration_ms AS at FROM kv").all();
    const text = (key: unknown) => new TextDecoder("latin1").decode(key as Uint8Array);
    return new Map(rows.map(({ k, at }) => [text(k), Number(at)]));
  } finally {
    database.close();
  }
}
