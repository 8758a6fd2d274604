import { DocumentParseError } from "../document_parse_error.ts";
import { encodeJob, type Job, type JobResult, parseResult, RESULT_LIMITS } from "./job_messages.ts";
import { FrameError, FrameReader } from "./frames.ts";

/** How a worker process is started. */
export interface WorkerCommand {
  path: string;
  args?: readonly string[];
}

/** Usually 0.1 s. */
const START_TIMEOUT_MS = 60_000;

/** A worker process died by itself while it did a job. */
export class WorkerDiedError extends Error {
  override name = "WorkerDiedError";
  /** The signal that ended it, such as the one of a limit that was exceeded. */
  readonly signal: Deno.Signal | null;

  constructor(signal: Deno.Signal | null) {
    super("a worker process died");
    this.signal = signal;
  }
}

/**
 * A process that parses documents, one at a time, with no permission and within limits of the operating
 * system. Call `end` when it is no longer needed.
 */
export class WorkerProcess {
  readonly pid: number;
  #child: Deno.ChildProcess;
  #frames: FrameReader;
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #ready: Promise<void>;
  #ended = false;
  #jobs = 0;
  #workedMs = 0;

  /** Starts the process. Throws what `Deno.Command` throws where none can be started. */
  constructor({ path, args = [] }: WorkerCommand) {
    this.#child = new Deno.Command(path, {
      args: [...args],
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      // A document could fill the log.
      stderr: "null",
    }).spawn();
    this.pid = this.#child.pid;
    this.#frames = new FrameReader(this.#child.stdout);
    this.#writer = this.#child.stdin.getWriter();
    this.#writer.closed.catch(() => {});
    void this.#child.status.then(() => this.#ended = true);
    this.#ready = this.#waitUntilReady();
    this.#ready.catch(() => {});
  }

  /** Whether it has not ended, as far as is known. */
  get alive(): boolean {
    return !this.#ended;
  }

  /** How many jobs it was given. */
  get jobs(): number {
    return this.#jobs;
  }

  /** How long it has worked on them. */
  get workedMs(): number {
    return this.#workedMs;
  }

  /**
   * Does one job within `timeMs`. Throws `DocumentParseError` when it takes longer, `WorkerDiedError`, and
   * the signal's reason once that aborts. The process has ended when anything was thrown.
   */
  async run(
    job: Job,
    { signal, timeMs }: { signal?: AbortSignal | undefined; timeMs: number },
  ): Promise<JobResult> {
    const stop = Promise.withResolvers<never>();
    stop.promise.catch(() => {});
    const onAbort = () => stop.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    let late: ReturnType<typeof setTimeout> | undefined;
    try {
      signal?.throwIfAborted();
      await Promise.race([this.#ready, stop.promise]);
      this.#jobs++;
      late = setTimeout(() => stop.reject(timeoutError(timeMs)), timeMs);
      const start = performance.now();
      const result = await Promise.race([this.#request(job), stop.promise]);
      this.#workedMs += performance.now() - start;
      return result;
    } catch (error) {
      await this.terminate();
      throw error;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Kills the process, whatever it is doing, and waits until it is gone. */
  async terminate(): Promise<void> {
    if (!this.#ended) {
      try {
        this.#child.kill("SIGKILL");
      } catch {
        // It has just ended by itself.
      }
    }
    await this.#child.status;
    await this.#writer.abort().catch(() => {});
    await this.#frames.cancel();
  }

  async #waitUntilReady(): Promise<void> {
    const late = setTimeout(() => void this.terminate(), START_TIMEOUT_MS);
    try {
      const frame = await this.#frames.read({ headerBytes: 1_024, payloadBytes: 0, payloads: 0 });
      if (frame?.header.kind === "ready") return;
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
    } finally {
      clearTimeout(late);
    }
    await this.terminate();
    throw new Error("a document worker process exited during startup");
  }

  async #request(job: Job): Promise<JobResult> {
    // A process that dies closes its input: its answer tells so better than the write does.
    const sent = this.#send(job).catch(() => {});
    try {
      const frame = await this.#frames.read(RESULT_LIMITS);
      if (frame === undefined) throw new WorkerDiedError((await this.#child.status).signal);
      await sent;
      return parseResult(frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      throw new DocumentParseError("damaged", "it is damaged and cannot be read", { cause: error });
    }
  }

  async #send(job: Job): Promise<void> {
    for (const piece of encodeJob(job)) await this.#writer.write(piece);
  }
}

function timeoutError(timeMs: number): DocumentParseError {
  const seconds = Math.round(timeMs / 1_000);
  return new DocumentParseError("too_complex", `reading it took longer than ${seconds} s`);
}
