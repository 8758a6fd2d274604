import { keyedDigests } from "../conversations/stored_messages.ts";
import {
  conversationHeadSchema,
  type RunRow,
  runRowSchema,
} from "../conversations/conversation_record.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { ResealPendingError, type ResealStep, type ResealTask } from "../encryption/reseal_task.ts";
import { chatIdempotencySchema, toKeyedFingerprint } from "../idempotency_store.ts";
import { feedbackRecordSchema } from "../feedback/feedback_record.ts";
import { keys } from "../keys/keys.ts";
import { sealRunDetails, unsealRunDetails } from "../runs/run_details.ts";
import { RUN_RETENTION_MS, type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import { parseRecord } from "../values/record.ts";
import { chunkName, type ResealDeps } from "./reseal_run_logs.ts";

/** Encrypts transcripts with the current key, with their digests, records and feedback. */
export function resealTranscripts(deps: ResealDeps): ResealTask[] {
  return [
    transcripts(deps),
    strayChunks(deps),
    runRecords(deps),
    feedback(deps),
    messageDigests(deps),
    fingerprints(deps),
  ];
}

/** First the row of a run, then its chunks and its record, which expire with it. */
function transcripts({ kv, content, now }: ResealDeps): ResealTask {
  return {
    kind: "transcripts",
    prefix: keys.allConversationRuns(),
    async *reseal(entry) {
      const row = parseRecord(runRowSchema, entry)!;
      const tenant = String(entry.key[1]);
      const expireIn = Math.max(1, row.exp - now());
      const context = contentContexts.transcript(tenant, row.runId, 0);
      const words = row.words && await content.reseal(row.words, context);
      if (words !== undefined) {
        yield { entry, write: (step) => step.set(entry.key, { ...row, words }, { expireIn }) };
      }
      yield* resealChunks(kv, { tenant, row, content, expireIn });
      const record = await kv.get(keys.run(tenant, row.runId));
      yield* resealRecord(record, { content, expireIn });
    },
  };
}

async function* resealChunks(
  kv: Deno.Kv,
  { tenant, row, content, expireIn }: {
    tenant: string;
    row: RunRow;
    content: ContentCipher;
    expireIn: number;
  },
): AsyncIterable<ResealStep> {
  for (let n = 0; n < row.parts; n++) {
    const key = keys.transcriptChunk(tenant, row.runId, n);
    const entry = await kv.get(key);
    if (!(entry.value instanceof Uint8Array)) continue;
    const context = contentContexts.transcript(tenant, row.runId, n);
    const chunk = await content.reseal(entry.value, context);
    if (chunk !== undefined) yield { entry, write: (step) => step.set(key, chunk, { expireIn }) };
  }
}

/** Chunks that no transcript refers to: of an active run, or left behind by an orphaned one. */
function strayChunks({ kv, content }: ResealDeps): ResealTask {
  return {
    kind: "parts of transcripts",
    prefix: keys.allTranscriptChunks(),
    async *reseal(entry) {
      if (!(entry.value instanceof Uint8Array)) return;
      if (content.isCurrent(entry.value)) return;
      const [tenant, runId, n] = chunkName(entry);
      const runs = await kv.getMany([keys.run(tenant, runId), keys.activeRun(tenant, runId)]);
      if (runs.some(({ versionstamp }) => versionstamp !== null)) {
        // Left to the transcript in the next pass; throws if it cannot be decrypted.
        await content.unseal(entry.value, contentContexts.transcript(tenant, runId, n));
        throw new ResealPendingError();
      }
      yield { entry, write: (step) => step.delete(entry.key) };
    },
  };
}

function runRecords({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "run records",
    prefix: keys.allRuns(),
    async *reseal(entry) {
      const record = parseRecord(runRecordSchema, entry)!;
      const expireIn = Math.max(1, (record.exp ?? record.endedAt + RUN_RETENTION_MS) - now());
      yield* resealRecord(entry, { content, expireIn });
    },
  };
}

async function* resealRecord(
  entry: Deno.KvEntryMaybe<unknown>,
  { content, expireIn }: { content: ContentCipher; expireIn: number },
): AsyncIterable<ResealStep> {
  const record = parseRecord(runRecordSchema, entry);
  if (record === undefined || !needsSealing(record, content)) return;
  const { tenant, runId } = record;
  const unsealed = await unsealRunDetails(record, { content, orThrow: true });
  const details = sealRunDetails(unsealed, { tenant, runId, content });
  const context = contentContexts.runSeal(tenant, runId);
  const seal = record.seal && (await content.reseal(record.seal, context) ?? record.seal);
  const next = { ...details, ...seal && { seal } };
  yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
}

function needsSealing({ egress, notes, sealed, seal }: RunRecord, content: ContentCipher): boolean {
  if (seal !== undefined && !content.isCurrent(seal)) return true;
  if (sealed !== undefined) return !content.isCurrent(sealed);
  return egress !== undefined || notes !== undefined;
}

function feedback({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "feedback",
    prefix: keys.allFeedback(),
    async *reseal(entry) {
      const record = parseRecord(feedbackRecordSchema, entry)!;
      const [tenant, runId] = entry.key.slice(1).map(String) as [string, string];
      const context = contentContexts.feedback(tenant, runId);
      const sealed = record.sealed && await content.reseal(record.sealed, context);
      if (sealed === undefined) return;
      const expireIn = Math.max(1, record.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }, { expireIn }) };
    },
  };
}

/** Replaces the digests of early releases, which had no key. */
function messageDigests({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "message digests",
    prefix: keys.allConversations(),
    async *reseal(entry) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (head === undefined || !("id" in head) || head.known.length === 0) return;
      const digests = keyedDigests(head, (digest) => content.shortDigest(digest));
      const expireIn = Math.max(1, head.exp - now());
      const next = { ...head, ...digests };
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}

/** Replaces the fingerprints of early releases, which had no key. */
function fingerprints({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "message fingerprints",
    prefix: keys.allChatIdempotencyRecords(),
    async *reseal(entry) {
      const record = parseRecord(chatIdempotencySchema, entry)!;
      const fingerprint = toKeyedFingerprint(record.fingerprint, (text) => content.digest(text));
      if (fingerprint === record.fingerprint) return;
      const expireIn = Math.max(1, record.exp - now());
      const next = { ...record, fingerprint };
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}
