import { Repeating } from "../billing/repeating.ts";
import type { Logger } from "../platform/log.ts";
import type {
  ClaimedDocument,
  DocumentTaskQueue,
  ProcessingOutcome,
} from "../store/knowledge/document_task_queue.ts";
import type { DocumentName } from "../store/keys/keys.ts";
import type { KnowledgeBaseStore } from "../store/knowledge/knowledge_base_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { UNKNOWN_TYPE } from "../schemas/media_types.ts";
import { unsupportedReason } from "./detect_type.ts";
import { UnreadableError } from "./unreadable.ts";
import type { WorkerPool } from "./worker/worker_pool.ts";

/** Interval of the look for other processes' unfinished work while there is any task; milliseconds. */
export const LOOK_MS = 5_000;
/** The same without any task: looks for tasks and for unfinished deletions in turn. */
export const REST_MS = 60_000;
/** So that these looks and the sweeps of dead runs, one a minute each, begin 30 s apart. */
const FIRST_REST_MS = 35_000;
/** A document whose reading has ended so many processes is not given to another one. */
const MAX_TRIES = 3;

interface Parts {
  tasks: Pick<DocumentTaskQueue, "take" | "finish" | "release" | "isEmpty">;
  bases: Pick<KnowledgeBaseStore, "sweep">;
  runtime: Runtime;
  log: Logger;
  /** What parses documents. */
  workers: Pick<WorkerPool, "run">;
  /** How many documents are read at the same time. */
  slots?: number;
  /** Told of each document that can be found from now on. */
  onReady?: (of: DocumentName) => Promise<void>;
}

/** Reads the documents that wait for it, and clears away what cut-off deletions left. */
export class DocumentProcessor {
  #parts: Parts;
  #slots: number;
  #looks: Repeating;
  #working = new Set<Promise<void>>();
  #active = 0;
  /** There may be more to read than when a slot last looked. */
  #more = false;
  /** Looks while there was nothing to read. */
  #rested = 0;
  #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#slots = parts.slots ?? Math.min(4, Math.max(2, navigator.hardwareConcurrency - 1));
    const everyMs = () => this.#pauseMs();
    this.#looks = new Repeating(parts.runtime, { everyMs, work: () => this.#look() });
  }

  /** Looks until closed: every 5 s, or every minute where there is nothing to read. */
  start(): void {
    this.#looks.start();
  }

  #pauseMs(): number {
    if (!this.#parts.tasks.isEmpty) return LOOK_MS;
    return this.#rested === 0 ? FIRST_REST_MS : REST_MS;
  }

  /** Looks for tasks and deletions while there is any task; at rest for one of them in turn. */
  async #look(): Promise<void> {
    if (!this.#parts.tasks.isEmpty) await this.sweep();
    else if (this.#rested++ % 2 === 0) this.begin();
    else await this.#clearDeletions();
    // How soon the next one is due depends on what there was.
    await this.idle();
  }

  /** Clears away and begins what is left to do; documents are read on after it has resolved. */
  async sweep(): Promise<void> {
    await this.#clearDeletions();
    this.begin();
  }

  async #clearDeletions(): Promise<void> {
    await this.#parts.bases.sweep().catch((error) => {
      this.#parts.log.error("what a knowledge base has left could not be cleared away", { error });
    });
  }

  /** There may be something to read. */
  begin(): void {
    this.#more = true;
    if (this.#closing.signal.aborted || this.#active >= this.#slots) return;
    this.#active++;
    const work: Promise<void> = this.#work().finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Resolves when nothing is being read any more. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Reads no more; what is being read is given back, for whoever is next. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looks.stop();
    await this.idle();
  }

  async #work(): Promise<void> {
    try {
      while (this.#more && !this.#closing.signal.aborted) {
        this.#more = false;
        for (let one = await this.#take(); one !== undefined; one = await this.#take()) {
          // There may be as much to do for another slot.
          this.begin();
          await this.#process(one);
        }
      }
    } catch (error) {
      this.#parts.log.error("documents could not be read", { error });
    } finally {
      this.#active--;
      // Other processes may be processing documents, and may die before they finish.
      this.#looks.hurry();
    }
  }

  async #take(): Promise<ClaimedDocument | undefined> {
    return this.#closing.signal.aborted ? undefined : await this.#parts.tasks.take();
  }

  async #process(document: ClaimedDocument): Promise<void> {
    const { tasks, log } = this.#parts;
    const { of, tries } = document.task;
    const outcome = tries < MAX_TRIES ? await this.#read(document) : GIVEN_UP;
    if (outcome === "closing") return await tasks.release(document.task);
    await tasks.finish(document.task, outcome);
    const facts = { tenant: of.tenant, knowledgeBaseId: of.base, documentId: of.id };
    if ("error" in outcome) log.info("a document failed", { ...facts, code: outcome.error.code });
    else {
      log.debug("a document is ready", { ...facts, chunks: outcome.read.chunks });
      await this.#parts.onReady?.(of).catch((error) => {
        log.error("what is new in a knowledge base was not prepared", { ...facts, error });
      });
    }
  }

  async #read({ task, mediaType, bytes }: ClaimedDocument): Promise<ProcessingOutcome | "closing"> {
    if (mediaType === UNKNOWN_TYPE) {
      return { error: { code: "unsupported_type", message: unsupportedReason(bytes) } };
    }
    const { signal } = this.#closing;
    try {
      const job = { kind: "read", bytes, type: mediaType } as const;
      const result = await this.#parts.workers.run(job, { tenant: task.of.tenant, signal });
      if (result.kind === "read") return { read: { parts: result.parts, chunks: result.chunks } };
      if (result.kind === "unreadable") {
        return { error: { code: result.code, message: result.message } };
      }
      throw new TypeError(`a worker answered ${result.kind} to a reading`);
    } catch (error) {
      if (signal.aborted) return "closing";
      if (!(error instanceof UnreadableError)) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  }
}

const GIVEN_UP: ProcessingOutcome = {
  error: {
    code: "interrupted",
    message: "the service stopped several times while it read this document",
  },
};
