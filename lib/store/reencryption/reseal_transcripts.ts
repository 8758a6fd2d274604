import { type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import { knownDigests } from "../conversations/append_run.ts";
import { chatIdempotencySchema, toKeyedFingerprint } from "../idempotency_store.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import {
  conversationHeadSchema,
  type RunRow,
  runRowSchema,
} from "../conversations/conversation_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { ResealPendingError, type ResealStep, type ResealTask } from "../encryption/reseal_task.ts";
import { sealRunDetails, unsealRunDetails } from "../runs/run_details.ts";

const DAY_MS = 86_400_000;
/** A run's record without a conversation is kept so long. */
const RECORD_TTL_MS = 90 * DAY_MS;

interface ResealDeps {
  kv: Deno.Kv;
  content: ContentCipher;
  now: () => number;
}

/** Encrypts transcripts anew, with the digests and records that go with them. */
export function resealTranscripts(parts: ResealDeps): ResealTask[] {
  return [
    transcripts(parts),
    strayChunks(parts),
    runRecords(parts),
    messageDigests(parts),
    fingerprints(parts),
  ];
}

/** A run's row first, then its parts and its record, which expire with it. */
function transcripts({ kv, content, now }: ResealDeps): ResealTask {
  return {
    kind: "transcripts",
    prefix: keys.allConversationRuns(),
    async *reseal(entry) {
      const row = parseRecord(runRowSchema, entry)!;
      const tenant = String(entry.key[1]);
      const expireIn = Math.max(1, row.exp - now());
      const place = contentContexts.transcript(tenant, row.runId, 0);
      const words = row.words && await content.reseal(row.words, place);
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
    const entry = await kv.get(keys.transcriptChunk(tenant, row.runId, n));
    if (!(entry.value instanceof Uint8Array)) continue;
    const part = await content.reseal(
      entry.value,
      contentContexts.transcript(tenant, row.runId, n),
    );
    if (part !== undefined) {
      yield { entry, write: (step) => step.set(entry.key, part, { expireIn }) };
    }
  }
}

/** Parts that no transcript has named yet: a running run's, or what a dead one left behind. */
function strayChunks({ kv, content }: ResealDeps): ResealTask {
  return {
    kind: "parts of transcripts",
    prefix: keys.allTranscriptChunks(),
    async *reseal(entry) {
      if (!(entry.value instanceof Uint8Array)) return;
      if (content.isCurrent(entry.value)) return;
      const [tenant, runId] = [String(entry.key[1]), String(entry.key[2])];
      const of = await kv.getMany([keys.run(tenant, runId), keys.activeRun(tenant, runId)]);
      if (of.some(({ versionstamp }) => versionstamp !== null)) {
        // Its transcript is looked at in the next pass, unless it does not decrypt anyway.
        await content.unseal(
          entry.value,
          contentContexts.transcript(tenant, runId, Number(entry.key[3])),
        );
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
      const expireIn = Math.max(1, record.endedAt + RECORD_TTL_MS - now());
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
  const opened = await unsealRunDetails(record, { content, orThrow: true });
  const next = sealRunDetails(opened, { tenant, runId, content });
  yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
}

function needsSealing({ egress, notes, sealed }: RunRecord, content: ContentCipher): boolean {
  if (sealed !== undefined) return !content.isCurrent(sealed);
  return egress !== undefined || notes !== undefined;
}

/** Digests that earlier versions stored without a key. */
function messageDigests({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "message digests",
    prefix: keys.allConversations(),
    async *reseal(entry) {
      const head = parseRecord(conversationHeadSchema, entry);
      if (head === undefined || !("id" in head) || head.known.length === 0) return;
      const digests = knownDigests(head, (digest) => content.shortDigest(digest));
      const expireIn = Math.max(1, head.exp - now());
      const next = { ...head, digests, known: [] };
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}

/** The same of repeated messages. */
function fingerprints({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "message fingerprints",
    prefix: keys.allChatIdempotencyRecords(),
    async *reseal(entry) {
      const receipt = parseRecord(chatIdempotencySchema, entry)!;
      const fingerprint = toKeyedFingerprint(receipt.fingerprint, (text) => content.digest(text));
      if (fingerprint === receipt.fingerprint) return;
      const expireIn = Math.max(1, receipt.exp - now());
      const next = { ...receipt, fingerprint };
      yield { entry, write: (step) => step.set(entry.key, next, { expireIn }) };
    },
  };
}
