import type { LoggedFrame } from "../../chat/log/run_log.ts";

/**
 * Writes the frames of one run as server-sent events in a client's format; one per response. What a frame
 * becomes depends only on the frames before it, so a replay of the same frames is the same text.
 */
export interface StreamEncoder {
  /** Headers of the response besides those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent before the first frame. */
  readonly opening: string;
  /**
   * Clients come back by themselves with the last frame they have. Others take a stream that ends early
   * for a complete answer, so their connection is reset instead.
   */
  readonly resumes: boolean;
  /** The text of the next frame; empty if the format has none for it. Call it for each frame in order. */
  encode(frame: LoggedFrame): string;
  /**
   * Ends the response after a call that still waits, in formats whose clients answer with their next
   * request; `undefined` if the client answers otherwise and the stream continues.
   */
  pause?(): string | undefined;
}

/** A response that continues where an earlier one has ended, at a call that is answered now. */
export interface ContinuedStream {
  /** The number of the last frame that the client has. */
  after: number;
  /** The numbers of the calls whose output the client has sent itself. */
  answered: ReadonlySet<number>;
}

/** One event with a JSON value. */
export function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The last event of several formats. */
export const DONE_EVENT = "data: [DONE]\n\n";

/** For formats without an opening of their own: the response begins, which proxies and clients wait for. */
export const OPENING_COMMENT = ": open\n\n";
