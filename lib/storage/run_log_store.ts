import { type Frame, frameSchema } from "../wire/frames.ts";
import { keys } from "./keys.ts";
import { joinParts, readParts, splitParts } from "./parts.ts";
import { CorruptRecordError, parseRecord } from "./record.ts";
import { type RunHead, runHeadSchema } from "./run_head.ts";

const LINE_FEED = 10;

/** Frames as the store holds them: JSON lines, in parts that are cut anywhere. */
export function packFrames(frames: readonly Frame[]): Uint8Array[] {
  if (frames.length === 0) return [];
  const lines = frames.map((frame) => JSON.stringify(frame) + "\n").join("");
  return splitParts(new TextEncoder().encode(lines));
}

/** Reads the stored logs of runs, whoever writes them. */
export class RunLogStore {
  #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  async head(tenant: string, runId: string): Promise<RunHead | undefined> {
    return parseRecord(runHeadSchema, await this.#kv.get(keys.runHead(tenant, runId)));
  }

  /** Whether the tenant has had such a run in the last 90 days. */
  async hasRecord(tenant: string, runId: string): Promise<boolean> {
    return (await this.#kv.get(keys.run(tenant, runId))).versionstamp !== null;
  }

  /** Reads a run's frames from the beginning on. */
  reader(tenant: string, runId: string): FrameReader {
    return new FrameReader(this.#kv, (n) => keys.runChunk(tenant, runId, n));
  }

  /** Settles when the head has changed, where the store tells; throws when it stops to. */
  async changed(tenant: string, runId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const reader = this.#kv.watch([keys.runHead(tenant, runId)]).getReader();
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

/** Reads part after part of a log, and answers the frames that are whole. */
export class FrameReader {
  #kv: Deno.Kv;
  #keyOf: (n: number) => Deno.KvKey;
  #next = 0;
  /** The beginning of a frame whose end is in a part to come. */
  #rest = new Uint8Array();

  constructor(kv: Deno.Kv, keyOf: (n: number) => Deno.KvKey) {
    this.#kv = kv;
    this.#keyOf = keyOf;
  }

  /**
   * The frames up to part `chunks` that have not been read yet; `undefined` when parts have gone. It
   * stays where it was when that fails. Throws `CorruptRecordError` for what is no frame.
   */
  async upTo(chunks: number): Promise<Frame[] | undefined> {
    const wanted = Array.from(
      { length: chunks - this.#next },
      (_, i) => this.#keyOf(this.#next + i),
    );
    const parts = await readParts(this.#kv, wanted);
    if (parts === undefined) return undefined;
    const bytes = joinParts([this.#rest, ...parts]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const frames = parseFrames(bytes.subarray(0, end));
    this.#next = chunks;
    this.#rest = bytes.slice(end);
    return frames;
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
