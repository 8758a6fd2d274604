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

/** Interval of the look for other processes' unfinished work while there is any task; milliseconds. */
export const POLL_MS = 5_000;
/** The same without any task: looks for tasks and for unfinished deletions in turn. */
export const IDLE_POLL_MS = 60_000;
/** So that these looks and the sweeps of dead runs, one a minute each, begin 30 s apart. */
const FIRST_IDLE_POLL_MS = 35_000;
/** A document whose reading has ended so many processes is not given to another one. */
const MAX_ATTEMPTS = 3;

interface DocumentProcessorDeps {
  tasks: Pick<DocumentTaskQueue, "take" | "finish" | "release" | "isEmpty">;
  bases: Pick<KnowledgeBaseStore, "sweep">;
  runtime: Runtime;
  log: Logger;
  /** What parses documents. */
  workers: Pick<WorkerPool, "run">;
  /** How many documents are read at the same time. */
  concurrency?: number;
  /** Told of each document that can be found from now on. */
  onReady?: (of: DocumentName) => Promise<void>;
}

/** Reads the documents that wait for it, and clears away what cut-off deletions left. */
export class DocumentProcessor {
  #deps: DocumentProcessorDeps;
  #concurrency: number;
  #polling: PeriodicTask;
  #working = new Set<Promise<void>>();
  #active = 0;
  /** There may be more to read than when a slot last looked. */
  #pending = false;
  /** Looks while there was nothing to read. */
  #idlePolls = 0;
  #closing = new AbortController();

  constructor(parts: DocumentProcessorDeps) {
    this.#deps = parts;
    this.#concurrency = parts.concurrency ??
      Math.min(4, Math.max(2, navigator.hardwareConcurrency - 1));
    const everyMs = () => this.#pollIntervalMs();
    this.#polling = new PeriodicTask(parts.runtime, { everyMs, work: () => this.#poll() });
  }

  /** Looks until closed: every 5 s, or every minute where there is nothing to read. */
  start(): void {
    this.#polling.start();
  }

  #pollIntervalMs(): number {
    if (!this.#deps.tasks.isEmpty) return POLL_MS;
    return this.#idlePolls === 0 ? FIRST_IDLE_POLL_MS : IDLE_POLL_MS;
  }

  /** Looks for tasks and deletions while there is any task; at rest for one of them in turn. */
  async #poll(): Promise<void> {
    if (!this.#deps.tasks.isEmpty) await this.sweep();
    else if (this.#idlePolls++ % 2 === 0) this.wake();
    else await this.#finishDeletions();
    // How soon the next one is due depends on what there was.
    await this.whenIdle();
  }

  /** Clears away and begins what is left to do; documents are read on after it has resolved. */
  async sweep(): Promise<void> {
    await this.#finishDeletions();
    this.wake();
  }

  async #finishDeletions(): Promise<void> {
    await this.#deps.bases.sweep().catch((error) => {
      this.#deps.log.error("what a knowledge base has left could not be cleared away", { error });
    });
  }

  /** There may be something to read. */
  wake(): void {
    this.#pending = true;
    if (this.#closing.signal.aborted || this.#active >= this.#concurrency) return;
    this.#active++;
    const work: Promise<void> = this.#work().finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Resolves when nothing is being read any more. */
  async whenIdle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Reads no more; what is being read is given back, for whoever is next. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#polling.stop();
    await this.whenIdle();
  }

  async #work(): Promise<void> {
    try {
      while (this.#pending && !this.#closing.signal.aborted) {
        this.#pending = false;
        for (let one = await this.#claim(); one !== undefined; one = await this.#claim()) {
          // There may be as much to do for another slot.
          this.wake();
          await this.#process(one);
        }
      }
    } catch (error) {
      this.#deps.log.error("documents could not be read", { error });
    } finally {
      this.#active--;
      // Other processes may be processing documents, and may die before they finish.
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
    if ("error" in outcome) log.info("a document failed", { ...facts, code: outcome.error.code });
    else {
      log.debug("a document is ready", { ...facts, chunks: outcome.read.chunks });
      await this.#deps.onReady?.(of).catch((error) => {
        log.error("what is new in a knowledge base was not prepared", { ...facts, error });
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
      const job = { kind: "read", bytes, type: mediaType } as const;
      const result = await this.#deps.workers.run(job, { tenant: task.of.tenant, signal });
      if (result.kind === "read") return { read: { parts: result.parts, chunks: result.chunks } };
      if (result.kind === "unreadable") {
        return { error: { code: result.code, message: result.message } };
      }
      throw new TypeError(`a worker answered ${result.kind} to a reading`);
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
