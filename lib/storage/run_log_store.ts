import { type ContentCipher, contentPlaces } from "./content_cipher.ts";
import { type LiveRun, liveRunSchema } from "./live_run.ts";
import { type Frame, frameSchema } from "../wire/frames.ts";
import { keys } from "./keys.ts";
import { joinParts, readParts } from "./parts.ts";
import { CorruptRecordError, parseRecord, untilCommitted } from "./record.ts";
import { LOG_KEPT_MS, type LogState, type RunHead, runHeadSchema, withTold } from "./run_head.ts";

const LINE_FEED = 10;
const encoder = new TextEncoder();

/** Frames as the store holds them once they are encrypted: JSON lines in UTF-8. */
export function packFrames(frames: readonly Frame[]): Uint8Array<ArrayBuffer> {
  let lines = "";
  for (const frame of frames) lines += JSON.stringify(frame) + "\n";
  return encoder.encode(lines);
}

/** What a log is known by: the facts of its run, and how far it is stored. */
export function headOf(
  { runId, tenant, agentId, source }: LiveRun["run"],
  log: LogState,
  end: { state: RunHead["state"]; exp?: number },
): RunHead {
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

  async head(tenant: string, runId: string): Promise<RunHead | undefined> {
    const [running, ended] = await this.#kv.getMany(placesOf(tenant, runId));
    const live = parseRecord(liveRunSchema, running!);
    if (live?.log !== undefined) return headOf(live.run, live.log, { state: "running" });
    return parseRecord(runHeadSchema, ended!);
  }

  /** Whether the tenant has had such a run, as far back as records are kept. */
  async hasRecord(tenant: string, runId: string): Promise<boolean> {
    return (await this.#kv.get(keys.run(tenant, runId))).versionstamp !== null;
  }

  /** Remembers which number the `done` of an interrupted run has had: who saw it has nothing left. */
  async noteEnd(tenant: string, runId: string, n: number): Promise<void> {
    const key = keys.runHead(tenant, runId);
    await untilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const head = parseRecord(runHeadSchema, entry);
      if (head?.state !== "interrupted") return true;
      const next = withTold(head, n);
      if (next === head) return true;
      const change = this.#kv.atomic().check(entry).set(key, next, { expireIn: 2 * LOG_KEPT_MS });
      return (await change.commit()).ok || undefined;
    }, { what: "run log" });
  }

  /** Reads a run's frames from the beginning on. */
  reader(tenant: string, runId: string): FrameReader {
    return new FrameReader(this.#kv, { tenant, runId, content: this.#content });
  }

  /** Settles when the head has changed, where the store tells; throws when it stops to. */
  async changed(tenant: string, runId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const reader = this.#kv.watch(placesOf(tenant, runId)).getReader();
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
function placesOf(tenant: string, runId: string): Deno.KvKey[] {
  return [keys.liveRun(tenant, runId), keys.runHead(tenant, runId)];
}

/** Reads a log as it grows, and answers the frames that are whole. */
export class FrameReader {
  #kv: Deno.Kv;
  #of: { tenant: string; runId: string; content: ContentCipher };
  #next = 0;
  /** How much of what comes after the parts that were read has been read in the tail. */
  #ahead = 0;
  /** The beginning of a frame whose end is in a part to come. */
  #rest = new Uint8Array();

  constructor(kv: Deno.Kv, of: { tenant: string; runId: string; content: ContentCipher }) {
    this.#kv = kv;
    this.#of = of;
  }

  /**
   * The frames of `log` that have not been read yet; `undefined` when parts have gone. It stays where it
   * was when that fails. Throws `CorruptRecordError` for what is no frame or does not decrypt.
   */
  async upTo(log: Pick<LogState, "chunks" | "frames" | "tail">): Promise<Frame[] | undefined> {
    const { chunks } = log;
    const parts = await this.#chunksUpTo(chunks);
    if (parts === undefined) return undefined;
    const { tenant, runId, content } = this.#of;
    const tail = await content.open(log.tail, contentPlaces.logTail(tenant, runId, log.frames));
    const news = joinParts([...parts, tail]).subarray(this.#ahead);
    const bytes = joinParts([this.#rest, news]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const frames = parseFrames(bytes.subarray(0, end));
    this.#next = chunks;
    // What was a tail begins the part that it has become.
    this.#ahead = tail.length;
    this.#rest = bytes.slice(end);
    return frames;
  }

  async #chunksUpTo(chunks: number): Promise<Uint8Array[] | undefined> {
    const { tenant, runId, content } = this.#of;
    const numbers = Array.from({ length: chunks - this.#next }, (_, i) => this.#next + i);
    const parts = await readParts(this.#kv, numbers.map((n) => keys.runChunk(tenant, runId, n)));
    if (parts === undefined) return undefined;
    return await Promise.all(parts.map((part, i) => {
      return content.open(part, contentPlaces.logChunk(tenant, runId, numbers[i]!));
    }));
  }
}

function parseFrames(bytes: Uint8Array): Frame[] {
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  try {
    return lines.map((line) => frameSchema.parse(JSON.parse(line)));
  } catch {
    throw new CorruptRecordError("a stored log holds what is no frame");
  }
}
