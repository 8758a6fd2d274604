import { type Frame, frameSchema } from "../../schemas/frames.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { concatBytes } from "../values/chunks.ts";
import { CorruptRecordError, parseRecord } from "../values/record.ts";
import { activeRunSchema } from "./active_run.ts";
import { type LogState, type RunLogHead, runLogHeadSchema } from "./run_log_head.ts";
import type { RunFacts } from "./run_record.ts";

const LINE_FEED = 10;
const encoder = new TextEncoder();

/** Frames as JSON lines in UTF-8: the stored form before encryption. */
export function encodeFrames(frames: readonly Frame[]): Uint8Array<ArrayBuffer> {
  let lines = "";
  for (const frame of frames) lines += JSON.stringify(frame) + "\n";
  return encoder.encode(lines);
}

export function toRunLogHead(
  { runId, tenant, agentId, source, visitor, traceparent }: RunFacts,
  log: LogState,
  end: { state: RunLogHead["state"]; exp?: number },
): RunLogHead {
  const of = {
    ...{ runId, tenant, agentId, source },
    ...visitor !== undefined && { visitor },
    ...traceparent !== undefined && { traceparent },
  };
  return { v: 1, ...of, ...log, ...end };
}

/** Where the head of a log is stored: with its run while that is active, and then by itself. */
export function headKeys(tenant: string, runId: string): [Deno.KvKey, Deno.KvKey] {
  return [keys.activeRun(tenant, runId), keys.runLogHead(tenant, runId)];
}

/** The log's head in the entries of `headKeys`. */
export function parseLogHead(
  [active, ended]: readonly Deno.KvEntryMaybe<unknown>[],
): RunLogHead | undefined {
  const run = parseRecord(activeRunSchema, active!);
  if (run?.log !== undefined) return toRunLogHead(run.run, run.log, { state: "running" });
  return parseRecord(runLogHeadSchema, ended!);
}

/** The log's current head and the new frames. */
export type LogUpdate = { head: RunLogHead; frames: Frame[] };

/** Reads a growing log incrementally, in complete frames. */
export class FrameReader {
  #kv: Deno.Kv;
  #run: { tenant: string; runId: string; content: ContentCipher };
  #next = 0;
  /** How many bytes of the next chunk were already read from the tail. */
  #tailBytesRead = 0;
  /** The start of a frame that continues in the next chunk. */
  #incompleteLine = new Uint8Array();

  constructor(kv: Deno.Kv, run: { tenant: string; runId: string; content: ContentCipher }) {
    this.#kv = kv;
    this.#run = run;
  }

  /** The number of the next chunk, which is also the number of chunks read. */
  get next(): number {
    return this.#next;
  }

  /** The chunks that were read end within a frame. */
  get isInFrame(): boolean {
    return this.#incompleteLine.length > 0;
  }

  /** Reads what is new in the store; `undefined` if the log was deleted. Throws like `readTo`. */
  async poll(): Promise<LogUpdate | undefined> {
    const { tenant, runId } = this.#run;
    const ahead = [this.#next, this.#next + 1].map((n) => keys.runLogChunk(tenant, runId, n));
    const entries = await this.#kv.getMany<unknown[]>([...headKeys(tenant, runId), ...ahead]);
    const head = parseLogHead(entries);
    if (head === undefined) return undefined;
    const isOpen = head.state === "running" && head.open === true;
    const frames = isOpen ? await this.#readOpenLog(entries.slice(2)) : await this.readTo(head);
    return frames && { head, frames };
  }

  /**
   * Reads the unread frames of `log`; `undefined` if chunks are missing. The position does not change on
   * failure. Throws `CorruptRecordError` for frames that are invalid or cannot be decrypted.
   */
  async readTo(log: Pick<LogState, "chunks" | "frames" | "tail">): Promise<Frame[] | undefined> {
    // A process that was taken for dead may have stored more chunks than the log ended with.
    const missing = Math.max(0, log.chunks - this.#next);
    const chunks = await this.#readChunksFrom(this.#next, missing);
    if (chunks.length < missing) return undefined;
    const { tenant, runId, content } = this.#run;
    const context = contentContexts.logTail(tenant, runId, log.frames);
    return await this.#decode(chunks, await content.unseal(log.tail, context));
  }

  /** Reads the frames of an open log, given the entries of its next two chunks. */
  async #readOpenLog(ahead: readonly Deno.KvEntryMaybe<unknown>[]): Promise<Frame[]> {
    const values = ahead.map(({ value }) => value);
    const end = values.findIndex((value) => !(value instanceof Uint8Array));
    const chunks = values.slice(0, end < 0 ? values.length : end) as Uint8Array[];
    if (end < 0) chunks.push(...await this.#readChunksFrom(this.#next + chunks.length, Infinity));
    return chunks.length === 0 ? [] : await this.#decode(chunks);
  }

  /** Up to `max` stored chunks from number `from` on, without gaps. */
  async #readChunksFrom(from: number, max: number): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = [];
    if (max === 0) return chunks;
    const { tenant, runId } = this.#run;
    const [prefix, start] = [
      keys.runLogChunks(tenant, runId),
      keys.runLogChunk(tenant, runId, from),
    ];
    const limit = Number.isFinite(max) ? { limit: max } : {};
    for await (const { key, value } of this.#kv.list<unknown>({ prefix, start }, limit)) {
      if (key.at(-1) !== from + chunks.length || !(value instanceof Uint8Array)) break;
      chunks.push(value);
    }
    return chunks;
  }

  /** Decrypts the next chunks and returns the frames that are complete with the `tail`. */
  async #decode(
    chunks: readonly Uint8Array[],
    tail: Uint8Array = new Uint8Array(),
  ): Promise<Frame[]> {
    const { tenant, runId, content } = this.#run;
    const from = this.#next;
    const plain = await Promise.all(chunks.map((chunk, i) => {
      return content.unseal(chunk, contentContexts.logChunk(tenant, runId, from + i));
    }));
    const unread = concatBytes([...plain, tail]).subarray(this.#tailBytesRead);
    const bytes = concatBytes([this.#incompleteLine, unread]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const frames = parseFrames(bytes.subarray(0, end));
    this.#next = from + chunks.length;
    // The tail will be the start of the next chunk.
    this.#tailBytesRead = tail.length;
    this.#incompleteLine = bytes.slice(end);
    return frames;
  }
}

function parseFrames(bytes: Uint8Array): Frame[] {
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  try {
    return lines.map((line) => frameSchema.parse(JSON.parse(line)));
  } catch {
    throw new CorruptRecordError("invalid frame in stored log");
  }
}
