import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { type ActiveRun, activeRunSchema } from "./active_run.ts";
import { type Frame, frameSchema } from "../../schemas/frames.ts";
import { keys } from "../keys/keys.ts";
import { joinChunks } from "../values/chunks.ts";
import { CorruptRecordError, parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  closedLog,
  LOG_TTL_MS,
  type LogState,
  type RunLogHead,
  runLogHeadSchema,
  withReportedEnd,
} from "./run_log_head.ts";

const LINE_FEED = 10;
const encoder = new TextEncoder();

/** Frames as the store holds them once they are encrypted: JSON lines in UTF-8. */
export function encodeFrames(frames: readonly Frame[]): Uint8Array<ArrayBuffer> {
  let lines = "";
  for (const frame of frames) lines += JSON.stringify(frame) + "\n";
  return encoder.encode(lines);
}

/** What a log is known by: the facts of its run, and how far it is stored. */
export function toRunLogHead(
  { runId, tenant, agentId, source }: ActiveRun["run"],
  log: LogState,
  end: { state: RunLogHead["state"]; exp?: number },
): RunLogHead {
  return { v: 1, runId, tenant, agentId, source, ...log, ...end };
}

/** Reads the stored logs of runs, whoever writes them. */
export class RunLogStore {
  #kv: Deno.Kv;
  #content: ContentCipher;

  constructor(kv: Deno.Kv, content: ContentCipher) {
    this.#kv = kv;
    this.#content = content;
  }

  async head(tenant: string, runId: string): Promise<RunLogHead | undefined> {
    const [running, ended] = await this.#kv.getMany(headKeys(tenant, runId));
    return parseLogHead(running!, ended!);
  }

  /** Whether any frame of the run is stored, `head` being what is known of it. */
  async hasFrames({ tenant, runId, frames }: RunLogHead): Promise<boolean> {
    if (frames > 0) return true;
    return (await this.#kv.get(keys.runLogChunk(tenant, runId, 0))).versionstamp !== null;
  }

  /** Whether the tenant has had such a run, as far back as records are kept. */
  async hasRecord(tenant: string, runId: string): Promise<boolean> {
    return (await this.#kv.get(keys.run(tenant, runId))).versionstamp !== null;
  }

  /** Remembers which number the `done` of an interrupted run has had: who saw it has nothing left. */
  async recordReportedEnd(tenant: string, runId: string, n: number): Promise<void> {
    const key = keys.runLogHead(tenant, runId);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(runLogHeadSchema, entry);
      if (head?.state !== "interrupted") return true;
      const next = withReportedEnd(head, n);
      if (next === head) return true;
      const change = this.#kv.atomic().check(entry).set(key, next, { expireIn: 2 * LOG_TTL_MS });
      return (await change.commit()).ok || undefined;
    }, { what: "run log" });
  }

  /** The whole log of a run, which ends in what is stored of it; `undefined` when it has gone. */
  async readAll(
    { tenant, runId }: { tenant: string; runId: string },
  ): Promise<{ log: LogState; frames: Frame[] } | undefined> {
    const reader = this.reader(tenant, runId);
    const news = await reader.poll();
    if (news === undefined) return undefined;
    const { head, frames } = news;
    const { owner, origin, open, chunks, tail } = head;
    const log = {
      owner,
      ...(origin !== undefined && { origin }),
      chunks,
      frames: head.frames,
      tail,
    };
    if (open === undefined) return { log, frames };
    return { log: closedLog(log, { chunks: reader.next, frames: frames.length }), frames };
  }

  /** Reads a run's frames from the beginning on. */
  reader(tenant: string, runId: string): FrameReader {
    return new FrameReader(this.#kv, { tenant, runId, content: this.#content });
  }

  /**
   * Settles when the head has changed or part `next` is there, where the store tells; throws when it
   * stops to.
   */
  async waitForChange(
    { tenant, runId, next }: { tenant: string; runId: string; next: number },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const watched = [...headKeys(tenant, runId), keys.runLogChunk(tenant, runId, next)];
    const reader = this.#kv.watch(watched).getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // The first event tells how it is now, the second that it has changed.
      for (let events = 0; events < 2; events++) {
        if ((await reader.read()).done) throw new Error("the store tells of no more changes");
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      cancel();
    }
  }
}

/** A log is with its run while that goes on, and by itself afterwards. */
function headKeys(tenant: string, runId: string): Deno.KvKey[] {
  return [keys.activeRun(tenant, runId), keys.runLogHead(tenant, runId)];
}

/** What a reader has found: how the log is known now, and the frames that are new. */
export interface LogUpdate {
  head: RunLogHead;
  frames: Frame[];
}

/** Reads a log as it grows, and answers the frames that are whole. */
export class FrameReader {
  #kv: Deno.Kv;
  #run: { tenant: string; runId: string; content: ContentCipher };
  #next = 0;
  /** How much of what comes after the parts that were read has been read in the tail. */
  #tailBytesRead = 0;
  /** The beginning of a frame whose end is in a part to come. */
  #incompleteLine = new Uint8Array();

  constructor(kv: Deno.Kv, of: { tenant: string; runId: string; content: ContentCipher }) {
    this.#kv = kv;
    this.#run = of;
  }

  /** The number of the part to be read next, which is how many have been read. */
  get next(): number {
    return this.#next;
  }

  /** What is new in the store; `undefined` when the log has gone. Throws as `upTo`. */
  async poll(): Promise<LogUpdate | undefined> {
    const { tenant, runId } = this.#run;
    const coming = [this.#next, this.#next + 1].map((n) => keys.runLogChunk(tenant, runId, n));
    const read = await this.#kv.getMany([...headKeys(tenant, runId), ...coming]);
    const [running, ended, ...parts] = read;
    const head = parseLogHead(running!, ended!);
    if (head === undefined) return undefined;
    const isOpen = head.state === "running" && head.open === true;
    const frames = isOpen ? await this.#readOpenLog(parts) : await this.readTo(head);
    return frames && { head, frames };
  }

  /**
   * The frames of `log` that have not been read yet; `undefined` when parts have gone. It stays where it
   * was when that fails. Throws `CorruptRecordError` for what is no frame or does not decrypt.
   */
  async readTo(log: Pick<LogState, "chunks" | "frames" | "tail">): Promise<Frame[] | undefined> {
    // A process that was taken for dead may have stored a part more than the log ended with.
    const missing = Math.max(0, log.chunks - this.#next);
    const stored = await this.#readChunksFrom(this.#next, missing);
    if (stored.length < missing) return undefined;
    const { tenant, runId, content } = this.#run;
    const tail = await content.unseal(log.tail, contentContexts.logTail(tenant, runId, log.frames));
    return await this.#decode(stored, tail);
  }

  /** The frames of an open log, of which two parts have been asked for. */
  async #readOpenLog(asked: readonly Deno.KvEntryMaybe<unknown>[]): Promise<Frame[]> {
    const end = asked.findIndex(({ value }) => !(value instanceof Uint8Array));
    const found = asked.slice(0, end < 0 ? asked.length : end);
    const parts = found.map(({ value }) => value as Uint8Array);
    if (end < 0) parts.push(...await this.#readChunksFrom(this.#next + parts.length, Infinity));
    return parts.length === 0 ? [] : await this.#decode(parts);
  }

  /** Stored parts from number `from` on, `most` of them, up to the first that is not there. */
  async #readChunksFrom(from: number, most: number): Promise<Uint8Array[]> {
    const parts: Uint8Array[] = [];
    if (most === 0) return parts;
    const { tenant, runId } = this.#run;
    const [prefix, start] = [
      keys.runLogChunks(tenant, runId),
      keys.runLogChunk(tenant, runId, from),
    ];
    const limit = Number.isFinite(most) ? { limit: most } : {};
    for await (const { key, value } of this.#kv.list<unknown>({ prefix, start }, limit)) {
      if (key.at(-1) !== from + parts.length || !(value instanceof Uint8Array)) break;
      parts.push(value);
    }
    return parts;
  }

  /** Decrypts parts that follow what has been read, and answers what is whole with the `tail`. */
  async #decode(
    stored: readonly Uint8Array[],
    tail: Uint8Array = new Uint8Array(),
  ): Promise<Frame[]> {
    const { tenant, runId, content } = this.#run;
    const from = this.#next;
    const parts = await Promise.all(stored.map((part, i) => {
      return content.unseal(part, contentContexts.logChunk(tenant, runId, from + i));
    }));
    const news = joinChunks([...parts, tail]).subarray(this.#tailBytesRead);
    const bytes = joinChunks([this.#incompleteLine, news]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const frames = parseFrames(bytes.subarray(0, end));
    this.#next = from + stored.length;
    // What was a tail begins the part that it has become.
    this.#tailBytesRead = tail.length;
    this.#incompleteLine = bytes.slice(end);
    return frames;
  }
}

function parseLogHead(
  running: Deno.KvEntryMaybe<unknown>,
  ended: Deno.KvEntryMaybe<unknown>,
): RunLogHead | undefined {
  const live = parseRecord(activeRunSchema, running);
  if (live?.log !== undefined) return toRunLogHead(live.run, live.log, { state: "running" });
  return parseRecord(runLogHeadSchema, ended);
}

function parseFrames(bytes: Uint8Array): Frame[] {
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  try {
    return lines.map((line) => frameSchema.parse(JSON.parse(line)));
  } catch {
    throw new CorruptRecordError("a stored log holds what is no frame");
  }
}
