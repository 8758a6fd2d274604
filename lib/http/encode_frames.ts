import type { LoggedFrame, RunLog } from "../chat/log/run_log.ts";
import type { StreamEncoder } from "./encoders/stream_encoder.ts";

/** The text of some frames of a log, and the last one of them, if there are any. */
export interface EncodedFrames {
  text: string;
  last: LoggedFrame | undefined;
}

/** Encodes at least one frame after number `after` and up to about `length` characters. */
export function encodeFrames(
  log: RunLog,
  { after, length, encoder }: { after: number; length: number; encoder: StreamEncoder },
): EncodedFrames {
  let text = "";
  let last: LoggedFrame | undefined;
  for (const logged of log.after(after)) {
    last = logged;
    text += encoder.encode(logged);
    // The two frames of an interruption must be sent together.
    if (text.length >= length && logged.frame.type !== "error") break;
  }
  return { text, last };
}

/** True if a follower at `after` need not wait: another process's log can lag behind its position. */
export function hasFrames(log: RunLog, after: number): boolean {
  return log.closed || log.length > after;
}
