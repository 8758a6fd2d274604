import { abortable } from "../../../platform/abortable.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { FrameError, FrameReader } from "./frames.ts";
import { encodeJob, type Job, type JobResult, parseResult, RESULT_LIMITS } from "./job_messages.ts";

export type WorkerCommand = { path: string; args?: readonly string[] };

/** Usually 0.1 s. */
const START_TIMEOUT_MS = 60_000;

export class WorkerDiedError extends Error {
  override name = "WorkerDiedError";
  /** The signal that killed it, such as that of an exceeded limit. */
  readonly signal: Deno.Signal | null;

  constructor(signal: Deno.Signal | null) {
    super("a worker process died");
    this.signal = signal;
  }
}

/**
 * A process that parses documents, one at a time, without permissions and within limits of the
 * operating system. Call `terminate` after use.
 */
export class WorkerProcess {
  readonly pid: number;
  #child: Deno.ChildProcess;
  #frames: FrameReader;
  #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #ready: Promise<void>;
  #ended = false;
  /** Finished and current jobs. */
  jobs = 0;
  /** The duration of all finished jobs. */
  workedMs = 0;

  /** Throws what `Deno.Command` throws if no process can be started. */
  constructor({ path, args = [] }: WorkerCommand) {
    this.#child = new Deno.Command(path, {
      args: [...args],
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      // A document could flood the log.
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

  get alive(): boolean {
    return !this.#ended;
  }

  /**
   * Runs one job. Throws `DocumentParseError` after `timeMs`, `WorkerDiedError`, or the reason of the
   * signal; the process has then ended.
   */
  async run(
    job: Job,
    { signal, timeMs }: { signal?: AbortSignal | undefined; timeMs: number },
  ): Promise<JobResult> {
    const timeout = new AbortController();
    const stop = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await abortable(this.#ready, stop);
      this.jobs++;
      timer = setTimeout(() => timeout.abort(timeoutError(timeMs)), timeMs);
      const start = performance.now();
      const result = await abortable(this.#request(job), stop);
      this.workedMs += performance.now() - start;
      return result;
    } catch (error) {
      await this.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills the process and waits for its end. */
  async terminate(): Promise<void> {
    if (!this.#ended) {
      try {
        this.#child.kill("SIGKILL");
      } catch {
        // It has just exited.
      }
    }
    await this.#child.status;
    await this.#writer.abort().catch(() => {});
    await this.#frames.cancel();
  }

  async #waitUntilReady(): Promise<void> {
    const timer = setTimeout(() => void this.terminate(), START_TIMEOUT_MS);
    try {
      const frame = await this.#frames.read({ headerBytes: 1_024, payloadBytes: 0, payloads: 0 });
      if (frame?.header.kind === "ready") return;
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
    } finally {
      clearTimeout(timer);
    }
    await this.terminate();
    throw new Error("a document worker process exited during startup");
  }

  async #request(job: Job): Promise<JobResult> {
    // If the process dies, the missing result is a better error than the failed write.
    const sent = this.#send(job).catch(() => {});
    try {
      const frame = await this.#frames.read(RESULT_LIMITS);
      if (frame === undefined) throw new WorkerDiedError((await this.#child.status).signal);
      await sent;
      return parseResult(frame);
    } catch (cause) {
      if (!(cause instanceof FrameError)) throw cause;
      throw new DocumentParseError("damaged", "it is damaged and cannot be read", { cause });
    }
  }

  async #send(job: Job): Promise<void> {
    for (const part of encodeJob(job)) await this.#writer.write(part);
  }
}

function timeoutError(timeMs: number): DocumentParseError {
  const seconds = Math.round(timeMs / 1_000);
  return new DocumentParseError("too_complex", `reading it took longer than ${seconds} s`);
}
