import { z } from "zod";
import type { StartHook } from "../billing/decide_run.ts";
import { storedMessageSchema } from "../store/conversations/conversation_record.ts";
import { type ContentCipher, contentContexts } from "../store/encryption/content_cipher.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { type Chunk, concatBytes, splitChunks, totalBytes } from "../store/values/chunks.ts";
import { CorruptRecordError } from "../store/values/record.ts";

/** Runs of a dead process that are not settled within a day lose their input. */
const INPUT_TTL_MS = 24 * 60 * 60_000;
/** Claimed messages beyond this are lost in a crash: admission must stay one commit. */
const MAX_INPUT_BYTES = 192 * 1024;
/** Smaller inputs are stored in the active run itself, which is rewritten as its log grows. */
const INLINE_BYTES = 4 * 1024;

const runInputSchema = z.object({
  v: z.literal(1),
  /** How long the conversation is stored. */
  days: z.int().positive(),
  origin: z.string().optional(),
  /** Whom its session was minted for. */
  visitorId: z.string().optional(),
  messages: z.array(storedMessageSchema),
});
/** The messages of a run's request, stored until it is settled. */
export type RunInput = Omit<z.infer<typeof runInputSchema>, "v">;

/** The conversation that an active run will be added to. */
export interface PendingConversation {
  input: RunInput;
  /** How many chunks of the input have keys of their own. */
  chunks: number;
  /** The conversation's id was generated for this run. */
  isNew: boolean;
}

/** Stores the inputs of active runs, so that other processes can settle orphaned ones. */
export class RunInputStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;

  constructor(kv: Deno.Kv, content: ContentCipher) {
    this.#kv = kv;
    this.#content = content;
  }

  /** Stores the input in the commit that admits its run. */
  async startHook(
    facts: RunFacts,
    { input, isNew }: Omit<PendingConversation, "chunks">,
  ): Promise<StartHook & { conversation: PendingConversation }> {
    const { tenant, runId } = facts;
    const chunks = encodeInput(input);
    if (totalBytes(chunks) <= INLINE_BYTES) {
      const asked = this.#content.sealSync(chunks[0]!, contentContexts.input(tenant, runId));
      return {
        conversation: { input, isNew, chunks: 0 },
        state: { asked },
        estimatedBytes: INLINE_BYTES,
      };
    }
    const sealed = await Promise.all(chunks.map((chunk, n) => {
      return this.#content.seal(chunk, contentContexts.inputChunk(tenant, runId, n));
    }));
    const conversation = { input, isNew, chunks: chunks.length };
    return {
      conversation,
      state: {},
      estimatedBytes: totalBytes(chunks),
      undo: (transaction) => clearInput(transaction, facts, conversation),
      write(transaction) {
        sealed.forEach((chunk, n) => {
          transaction.blindWrite(keys.runInputChunk(tenant, runId, n), chunk, {
            expireIn: INPUT_TTL_MS,
          });
        });
      },
    };
  }

  /**
   * Finds the pending conversation of an orphaned run; `undefined` if it has none. Throws
   * `CorruptRecordError` if the input is invalid or does not decrypt.
   */
  async find({ run, asked }: ActiveRun): Promise<PendingConversation | undefined> {
    const { tenant, runId } = run;
    const content = this.#content;
    if (asked !== undefined) {
      const bytes = await content.unseal(asked, contentContexts.input(tenant, runId));
      return { input: decodeInput(bytes), chunks: 0, isNew: false };
    }
    const prefix = keys.runInputChunks(tenant, runId);
    const entries = await Array.fromAsync(this.#kv.list<Uint8Array>({ prefix }));
    if (entries.length === 0) return undefined;
    const chunks = await Promise.all(entries.map(({ value }, n) => {
      return content.unseal(value, contentContexts.inputChunk(tenant, runId, n));
    }));
    return { input: decodeInput(concatBytes(chunks)), chunks: entries.length, isNew: false };
  }
}

export function clearInput(
  transaction: Transaction,
  { tenant, runId }: RunFacts,
  { chunks }: PendingConversation,
): void {
  for (let n = 0; n < chunks; n++) {
    transaction.blindWrite(keys.runInputChunk(tenant, runId, n), undefined);
  }
}

/** Encodes only the last message if all together are too large. */
function encodeInput(input: RunInput): Chunk[] {
  const encode = (value: RunInput) =>
    splitChunks(new TextEncoder().encode(JSON.stringify({ v: 1, ...value })));
  const chunks = encode(input);
  if (totalBytes(chunks) <= MAX_INPUT_BYTES) return chunks;
  return encode({ ...input, messages: input.messages.slice(-1) });
}

function decodeInput(bytes: Uint8Array): RunInput {
  try {
    return runInputSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new CorruptRecordError("invalid message in a stored run");
  }
}
