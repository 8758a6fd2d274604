import { PeriodicTask } from "../../platform/periodic_task.ts";
import type { Logger } from "../../platform/log.ts";
import type {
  ClaimedDocument,
  DocumentTaskQueue,
  ProcessingOutcome,
} from "../../store/knowledge/document_task_queue.ts";
import type { DocumentName } from "../../store/keys/keys.ts";
import type { KnowledgeBaseStore } from "../../store/knowledge/knowledge_base_store.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { UNKNOWN_TYPE } from "../../schemas/media_types.ts";
import { unsupportedReason } from "./detect_media_type.ts";
import { DocumentParseError } from "./document_parse_error.ts";
import type { WorkerPool } from "./worker/worker_pool.ts";

/** While there are tasks: other processes may die before they finish theirs. */
const POLL_MS = 5_000;
const IDLE_POLL_MS = 60_000;
/** Offsets the polling by 30 s from the sweeps of orphaned runs, which also run once a minute. */
const FIRST_IDLE_POLL_MS = 35_000;
/** A document that ended this many processes is not tried again. */
const MAX_ATTEMPTS = 3;

interface DocumentProcessorDeps {
  tasks: Pick<DocumentTaskQueue, "take" | "finish" | "release" | "isEmpty">;
  bases: Pick<KnowledgeBaseStore, "sweep">;
  runtime: Runtime;
  log: Logger;
  workers: Pick<WorkerPool, "run">;
  concurrency?: number;
  /** Called when a document has become searchable. */
  onReady?: (of: DocumentName) => Promise<void>;
}

/** Parses queued documents, and finishes interrupted deletions. */
export class DocumentProcessor {
  #deps: DocumentProcessorDeps;
  #concurrency: number;
  #polling: PeriodicTask;
  #working = new Set<Promise<void>>();
  #active = 0;
  /** Whether tasks may have been added since the last claim. */
  #pending = false;
  #idlePolls = 0;
  #closing = new AbortController();

  constructor(deps: DocumentProcessorDeps) {
    this.#deps = deps;
    this.#concurrency = deps.concurrency ??
      Math.min(4, Math.max(2, navigator.hardwareConcurrency - 1));
    const everyMs = () => this.#pollIntervalMs();
    this.#polling = new PeriodicTask(deps.runtime, { everyMs, work: () => this.#poll() });
  }

  /** Polls until closed: every 5 s, or every minute if the queue is empty. */
  start(): void {
    this.#polling.start();
  }

  #pollIntervalMs(): number {
    if (!this.#deps.tasks.isEmpty) return POLL_MS;
    return this.#idlePolls === 0 ? FIRST_IDLE_POLL_MS : IDLE_POLL_MS;
  }

  /** With an empty queue, polls for tasks and for deletions by turns. */
  async #poll(): Promise<void> {
    if (!this.#deps.tasks.isEmpty) await this.sweep();
    else if (this.#idlePolls++ % 2 === 0) this.wake();
    else await this.#finishDeletions();
    // The next interval depends on the queue.
    await this.whenIdle();
  }

  /** Finishes deletions and starts parsing; does not wait for the parsing. */
  async sweep(): Promise<void> {
    await this.#finishDeletions();
    this.wake();
  }

  async #finishDeletions(): Promise<void> {
    await this.#deps.bases.sweep().catch((error) => {
      this.#deps.log.error("could not finish the deletion of a knowledge base", { error });
    });
  }

  /** Starts parsing queued documents if there is capacity. */
  wake(): void {
    this.#pending = true;
    if (this.#closing.signal.aborted || this.#active >= this.#concurrency) return;
    this.#active++;
    const work: Promise<void> = this.#work().finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  async whenIdle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Aborts; documents that are being parsed return to the queue. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling.stop();
    await this.whenIdle();
  }

  async #work(): Promise<void> {
    try {
      while (this.#pending && !this.#closing.signal.aborted) {
        this.#pending = false;
        for (let next = await this.#claim(); next !== undefined; next = await this.#claim()) {
          // There may be more for a concurrent worker.
          this.wake();
          await this.#process(next);
        }
      }
    } catch (error) {
      this.#deps.log.error("could not process documents", { error });
    } finally {
      this.#active--;
      this.#polling.reschedule();
    }
  }

  async #claim(): Promise<ClaimedDocument | undefined> {
    return this.#closing.signal.aborted ? undefined : await this.#deps.tasks.take();
  }

  async #process(document: ClaimedDocument): Promise<void> {
    const { tasks, log } = this.#deps;
    const { of, tries } = document.task;
    const outcome = tries < MAX_ATTEMPTS ? await this.#parse(document) : INTERRUPTED;
    if (outcome === "closing") return await tasks.release(document.task);
    await tasks.finish(document.task, outcome);
    const facts = { tenant: of.tenant, knowledgeBaseId: of.base, documentId: of.id };
    if ("error" in outcome) log.info("document failed", { ...facts, code: outcome.error.code });
    else {
      log.debug("document ready", { ...facts, passages: outcome.read.passages });
      await this.#deps.onReady?.(of).catch((error) => {
        log.error("could not prepare the search of a new document", { ...facts, error });
      });
    }
  }

  async #parse(
    { task, mediaType, bytes }: ClaimedDocument,
  ): Promise<ProcessingOutcome | "closing"> {
    if (mediaType === UNKNOWN_TYPE) {
      return { error: { code: "unsupported_type", message: unsupportedReason(bytes) } };
    }
    const { signal } = this.#closing;
    try {
      const job = { kind: "document", bytes, type: mediaType } as const;
      const result = await this.#deps.workers.run(job, { tenant: task.of.tenant, signal });
      if (result.kind === "document") return { read: result };
      if (result.kind !== "unreadable") throw new TypeError(`unexpected result: ${result.kind}`);
      return { error: { code: result.code, message: result.message } };
    } catch (error) {
      if (signal.aborted) return "closing";
      if (!(error instanceof DocumentParseError)) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  }
}

const INTERRUPTED: ProcessingOutcome = {
  error: {
    code: "interrupted",
    message: "the service stopped several times while it read this document",
  },
};
