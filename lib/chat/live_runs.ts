import type { MessageAttachment } from "../schemas/attachment.ts";
import { keys } from "../store/keys/keys.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import { CorruptRecordError, parseRecord } from "../store/values/record.ts";
import { RunInputStore } from "./run_input.ts";

/** More active runs than this are not listed. */
const MAX_LISTED = 100;

/** A run that is being answered in some process. */
export interface LiveRun {
  facts: RunFacts;
  /** The page's origin; absent for calls with an API key. */
  origin?: string | undefined;
  /** Whom its session was minted for. */
  visitorId?: string | undefined;
  /** The message that it answers. */
  question: string;
  /** Its files. */
  attachments?: MessageAttachment[] | undefined;
}

/** The active runs of all processes whose conversations are stored. */
export class LiveRuns {
  readonly #kv: Deno.Kv;
  readonly #inputs: RunInputStore;

  constructor(kv: Deno.Kv, content: ContentCipher) {
    this.#kv = kv;
    this.#inputs = new RunInputStore(kv, content);
  }

  /** The latest first. */
  async list(tenant: string): Promise<LiveRun[]> {
    const prefix = keys.tenantActiveRuns(tenant);
    const found: ActiveRun[] = [];
    for await (const entry of this.#kv.list({ prefix }, { limit: MAX_LISTED })) {
      found.push(parseRecord(activeRunSchema, entry)!);
    }
    const runs = await Promise.all(found.map((active) => this.#read(active)));
    return runs.flat().sort((a, b) => b.facts.startedAt - a.facts.startedAt);
  }

  /** The active run with this id; `undefined` if it has ended or its conversation is not stored. */
  async find(tenant: string, runId: string): Promise<LiveRun | undefined> {
    const active = parseRecord(
      activeRunSchema,
      await this.#kv.get(keys.activeRun(tenant, runId)),
    );
    return active && (await this.#read(active))[0];
  }

  async #read(active: ActiveRun): Promise<LiveRun[]> {
    const { run: facts, log } = active;
    try {
      const pending = await this.#inputs.find(active);
      if (pending === undefined) return [];
      const { messages, visitorId } = pending.input;
      const { content: question, attachments } = messages.at(-1)!;
      return [{ facts, origin: log?.origin, visitorId, question, attachments }];
    } catch (error) {
      if (error instanceof CorruptRecordError) return [];
      throw error;
    }
  }
}
