import { LRUCache } from "lru-cache";
import type { GapReason } from "../../schemas/gap_reasons.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import {
  conversationHeadSchema,
  isReadable,
  runRowSchema,
  type RunTranscript,
} from "../conversations/conversation_record.ts";
import { readTranscript } from "../conversations/read_transcript.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { type RunRecord, runRecordSchema } from "../runs/run_record.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  createUnanswered,
  isTried,
  type UnansweredRecord,
  unansweredRecordSchema,
} from "./unanswered_record.ts";

/** Questions of one tenant that are looked at: the latest. */
const MAX_QUESTIONS = 20_000;
/** Decrypting ten thousand questions takes longer than everything else; they do not change. */
const CACHED_QUESTIONS = 20_000;
const BATCH = 500;

export interface UnansweredQuestion extends Omit<UnansweredRecord, "v" | "sealed"> {
  runId: string;
  /** Empty if it cannot be decrypted. */
  question: string;
}

interface UnansweredStoreDeps {
  content: ContentCipher;
  maxQuestions?: number;
  runtime: { now(): number };
}

/** Questions without a good answer of all tenants; each is deleted with its run. */
export class UnansweredStore {
  readonly #kv: Deno.Kv;
  readonly #deps: UnansweredStoreDeps;
  readonly #questions = new LRUCache<string, string>({ max: CACHED_QUESTIONS });

  constructor(kv: Deno.Kv, deps: UnansweredStoreDeps) {
    this.#kv = kv;
    this.#deps = deps;
  }

  /** All of a tenant, the latest first. */
  async list(tenant: string): Promise<UnansweredQuestion[]> {
    const now = this.#deps.runtime.now();
    const selector = { prefix: keys.tenantUnanswered(tenant) };
    const { maxQuestions: limit = MAX_QUESTIONS } = this.#deps;
    // Ids of runs begin with the time.
    const options = { limit, batchSize: BATCH, reverse: true };
    const reads: Promise<UnansweredQuestion>[] = [];
    for await (const entry of this.#kv.list(selector, options)) {
      const record = parseRecord(unansweredRecordSchema, entry)!;
      if (record.exp > now) reads.push(this.#open(tenant, String(entry.key.at(-1)), record));
    }
    return await Promise.all(reads);
  }

  /** Adds a reason to a run of a stored conversation, or takes it away; nothing for other runs. */
  async setReason(
    { tenant, runId }: { tenant: string; runId: string },
    reason: GapReason,
    isGiven: boolean,
  ): Promise<void> {
    const key = keys.unanswered(tenant, runId);
    await retryUntilCommitted(async () => {
      const [entry, ended] = await this.#kv.getMany([key, keys.run(tenant, runId)]);
      const run = parseRecord(runRecordSchema, ended!);
      const record = parseRecord(unansweredRecordSchema, entry!);
      if (run === undefined || isTried(run) || (record === undefined && !isGiven)) return true;
      const others = (record?.reasons ?? []).filter((one) => one !== reason);
      const reasons = isGiven ? [...others, reason] : others;
      // Deleting the conversation deletes the run: nothing is written after that.
      const step = this.#kv.atomic().check(entry!, ended!);
      if (reasons.length === 0) step.delete(key);
      else {
        const next = record === undefined
          ? await this.#create(run, reasons)
          : { ...record, reasons };
        if (next === undefined) return true;
        step.set(key, next, { expireIn: Math.max(1, next.exp - this.#deps.runtime.now()) });
      }
      return (await step.commit()).ok || undefined;
    }, { what: "unanswered question" });
  }

  /** The last question of a conversation that a person was asked for. */
  async recordHandoff(name: ConversationName): Promise<void> {
    const entry = await this.#kv.get(keys.conversation(name));
    const head = parseRecord(conversationHeadSchema, entry);
    if (!isReadable(head, this.#deps.runtime.now())) return;
    const last = await this.#kv.get(keys.conversationRun(name, head.next - 1));
    const row = parseRecord(runRowSchema, last);
    if (row === undefined) return;
    await this.setReason({ tenant: name.tenant, runId: row.runId }, "handed_off", true);
  }

  /** What was asked and answered in a run; `undefined` if that is gone or cannot be decrypted. */
  async readRun(
    { tenant, conversationId: id, agentId, page, n }: RunRecord,
  ): Promise<RunTranscript | undefined> {
    if (page === undefined || n === undefined) return undefined;
    const key = keys.conversationRun({ tenant, id, agentId, page }, n);
    const row = parseRecord(runRowSchema, await this.#kv.get(key));
    if (row === undefined || row.exp <= this.#deps.runtime.now()) return undefined;
    const { content } = this.#deps;
    const transcript = await readTranscript(this.#kv, { content, tenant, row });
    return transcript === "unreadable" ? undefined : transcript;
  }

  async #create(run: RunRecord, reasons: GapReason[]): Promise<UnansweredRecord | undefined> {
    const question = (await this.readRun(run))?.messages.at(-1);
    if (question?.role !== "user" || run.exp === undefined) return undefined;
    const { content } = this.#deps;
    return createUnanswered(run, {
      ...{ question: question.content, reasons, at: run.endedAt, exp: run.exp, content },
    });
  }

  async #open(
    tenant: string,
    runId: string,
    { v: _v, sealed, ...record }: UnansweredRecord,
  ): Promise<UnansweredQuestion> {
    const cached = this.#questions.get(`${tenant} ${runId}`);
    if (cached !== undefined) return { ...record, runId, question: cached };
    try {
      const context = contentContexts.unanswered(tenant, runId);
      const question = new TextDecoder().decode(await this.#deps.content.unseal(sealed, context));
      this.#questions.set(`${tenant} ${runId}`, question);
      return { ...record, runId, question };
    } catch (error) {
      if (error instanceof UnreadableContentError) return { ...record, runId, question: "" };
      throw error;
    }
  }
}
