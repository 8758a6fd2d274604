import type { Runtime } from "../platform/runtime.ts";
import { ApiError, validationError } from "../schemas/api_error.ts";
import { conversationName, runRowSchema } from "../store/conversations/conversation_record.ts";
import { type ConversationName, keys } from "../store/keys/keys.ts";
import { activeRunSchema } from "../store/runs/active_run.ts";
import { type ReplacedRun, runRecordSchema } from "../store/runs/run_record.ts";
import { parseRecord } from "../store/values/record.ts";
import type { ChatRequest } from "./chat_request.ts";
import type { RunRegistry } from "./run_registry.ts";

/** How long a message waits for the run that it replaces to end. */
const MAX_WAIT_MS = 5_000;
const POLL_MS = 250;
/** Rows read at a time, the latest first: most messages replace one of the last runs. */
const ROWS_PER_READ = 5;

/** A message replaces a run that is still being answered. */
export class RunStillActiveError extends Error {
  override name = "RunStillActiveError";
  readonly tenant: string;
  readonly runId: string;

  constructor({ tenant, runId }: { tenant: string; runId: string }) {
    super("the replaced run is still active");
    this.tenant = tenant;
    this.runId = runId;
  }
}

export interface ReplacedRunsDeps {
  kv: Deno.Kv;
  runtime: Pick<Runtime, "now" | "sleep">;
  runs: Pick<RunRegistry, "cancel">;
}

/** The runs that messages name as `replaces`. */
export class ReplacedRuns {
  readonly #deps: ReplacedRunsDeps;

  constructor(deps: ReplacedRunsDeps) {
    this.#deps = deps;
  }

  /**
   * The run that a message replaces; `undefined` if it replaces none. Of one that was not stored with its
   * conversation, it replaces what that one was to replace. Throws the same 400 for every run of another
   * conversation, whether it exists or not, and `RunStillActiveError` for one without an end; `ended` is
   * one that was ended because of that. Reads past the transaction that admits the message, because the
   * record of a run never changes: to add it would repeat all reads of the transaction.
   */
  async find(
    request: ChatRequest,
    { ended }: { ended?: string | undefined } = {},
  ): Promise<ReplacedRun | undefined> {
    const { tenant, agent, body: { replaces: runId, conversationId } } = request;
    const { origin, visitor, source } = request;
    if (runId === undefined || conversationId === undefined) return undefined;
    const of = { tenant, agentId: agent.id, origin, visitor: visitor?.hash };
    const name = await conversationName(conversationId, of);
    const stored = [keys.run(tenant, runId), keys.activeRun(tenant, runId)] as const;
    const [recordEntry, activeEntry] = await this.#deps.kv.getMany(stored);
    const record = parseRecord(runRecordSchema, recordEntry);
    if (record === undefined) {
      const active = parseRecord(activeRunSchema, activeEntry);
      const isHere = active !== undefined && active.log?.origin === origin &&
        isOfConversation(active.run, name) && active.run.visitor === visitor?.hash &&
        active.run.source.kind === source.kind;
      if (isHere) throw new RunStillActiveError(active.run);
      if (runId === ended) return undefined;
      rejectReplaced();
    }
    const isExpired = (record.exp ?? Infinity) <= this.#deps.runtime.now();
    if (isExpired || !isOfConversation(record, name)) rejectReplaced();
    // Without an origin, a playground's session has the page of backends.
    if (record.source.kind !== source.kind) rejectReplaced();
    // Nothing stored says on which page it was, except that it was active there, or who started it.
    const isKnown = runId === ended || record.source.id === source.id;
    if (record.page === undefined && isKnown) return record.replaces;
    if (record.page !== name.page) rejectReplaced();
    return { runId, n: record.n ?? await this.#findNumber(name, runId) ?? rejectReplaced() };
  }

  /** For runs of early releases, whose records do not have it. */
  async #findNumber(name: ConversationName, runId: string): Promise<number | undefined> {
    const rows = this.#deps.kv.list({ prefix: keys.conversationRuns(name) }, {
      reverse: true,
      batchSize: ROWS_PER_READ,
    });
    for await (const entry of rows) {
      if (parseRecord(runRowSchema, entry)!.runId === runId) return Number(entry.key.at(-1));
    }
    return undefined;
  }

  /** Cancels a run, whose answer nobody wants any more, and waits for its end. 503 if that takes long. */
  async end({ tenant, runId }: { tenant: string; runId: string }): Promise<void> {
    const { kv, runtime, runs } = this.#deps;
    const key = keys.activeRun(tenant, runId);
    await runs.cancel(tenant, runId);
    const deadline = runtime.now() + MAX_WAIT_MS;
    while ((await kv.get(key)).versionstamp !== null) {
      if (runtime.now() >= deadline) {
        const message = "the replaced run has not ended yet; send the message again";
        throw new ApiError("service_unavailable", message, { headers: { "retry-after": "1" } });
      }
      await this.#waitUntilDeleted(key);
    }
  }

  /** Waits for at most 250 ms, in case the store does not report changes. */
  async #waitUntilDeleted(key: Deno.KvKey): Promise<void> {
    const { kv, runtime } = this.#deps;
    const waiting = new AbortController();
    const elapsed = runtime.sleep(POLL_MS, waiting.signal).catch(() => {});
    const reader = kv.watch([key]).getReader();
    try {
      await Promise.race([elapsed, untilDeleted(reader).catch(() => elapsed)]);
    } finally {
      waiting.abort();
      void reader.cancel().catch(() => {});
    }
  }
}

async function untilDeleted(
  reader: ReadableStreamDefaultReader<[Deno.KvEntryMaybe<unknown>]>,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the store stopped watching");
    if (value[0].versionstamp === null) return;
  }
}

function isOfConversation(
  run: { agentId: string; conversationId: string },
  { agentId, id }: ConversationName,
): boolean {
  return run.agentId === agentId && run.conversationId === id;
}

function rejectReplaced(): never {
  const message = "must be a run of this conversation";
  throw validationError([{ path: "replaces", code: "invalid_value", message }]);
}
