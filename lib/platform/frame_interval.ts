import { CoalescedTimers } from "./coalesced_timers.ts";

const MIN_INTERVAL_MS = 30;
const MAX_INTERVAL_MS = 60;
/** Up to this many slow streams the interval is the shortest. */
const FEW_STREAMS = 32;
/** From this many on it is the longest. */
const MANY_STREAMS = 96;

/** Streams wake together on multiples of this, so that their work shares a turn of the event loop. */
const TICK_MS = 10;

const timers = new CoalescedTimers({ tickMs: TICK_MS });
let waiting = 0;

/**
 * The time between two frames of a slow stream in milliseconds, when `streams` of them are open: 30, and
 * up to 60 with many, because each frame costs the same however much text it carries.
 */
export function frameInterval(streams: number): number {
  const share = (streams - FEW_STREAMS) / (MANY_STREAMS - FEW_STREAMS);
  const clamped = Math.min(1, Math.max(0, share));
  return MIN_INTERVAL_MS + clamped * (MAX_INTERVAL_MS - MIN_INTERVAL_MS);
}

/** Calls `callback` once a frame interval has passed, together with those of other slow streams. */
export function afterFrameInterval(callback: () => void): void {
  waiting++;
  timers.setTimer(frameInterval(waiting), () => {
    waiting--;
    callback();
  });
}
