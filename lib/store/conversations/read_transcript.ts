import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { chunkKeys, concatBytes, readChunks, totalBytes } from "../values/chunks.ts";
import { type RunRow, type RunTranscript, runTranscriptSchema } from "./conversation_record.ts";

/** `unreadable` if it cannot be decrypted. */
export type StoredTranscript = RunTranscript | "unreadable";

interface TranscriptOptions {
  content: ContentCipher;
  tenant: string;
  row: RunRow;
}

/** What was said in a run; `undefined` if it is gone. */
export async function readTranscript(
  kv: Deno.Kv,
  options: TranscriptOptions,
): Promise<StoredTranscript | undefined> {
  try {
    return await readAndUnseal(kv, options);
  } catch (error) {
    if (error instanceof UnreadableContentError) return "unreadable";
    throw error;
  }
}

async function readAndUnseal(
  kv: Deno.Kv,
  { content, tenant, row: { runId, parts, bytes, words } }: TranscriptOptions,
): Promise<RunTranscript | undefined> {
  const unseal = (chunk: Uint8Array, n: number) =>
    content.unseal(chunk, contentContexts.transcript(tenant, runId, n));
  if (words !== undefined) return parseTranscript(await unseal(words, 0));
  const chunks = await readChunks(
    kv,
    chunkKeys(parts, (n) => keys.transcriptChunk(tenant, runId, n)),
  );
  const plain = chunks && await Promise.all(chunks.map(unseal));
  // Two processes that settled the run concurrently may have mixed their chunks. Skip such a transcript,
  // so that the other runs can be read.
  if (plain === undefined || totalBytes(plain) !== bytes) return undefined;
  return parseTranscript(concatBytes(plain));
}

function parseTranscript(bytes: Uint8Array): RunTranscript {
  return runTranscriptSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
