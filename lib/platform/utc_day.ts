export const DAY_MS = 86_400_000;

/** The day of the last call: nearly always the next call asks for the same one. */
let last = { day: NaN, text: "" };

/** The UTC day of a time in milliseconds, as `YYYY-MM-DD`. */
export function dayOf(now: number): string {
  const day = Math.floor(now / DAY_MS);
  if (day !== last.day) last = { day, text: new Date(now).toISOString().slice(0, 10) };
  return last.text;
}

/** Milliseconds until the next UTC midnight. */
export function untilMidnight(now: number): number {
  return DAY_MS - (now % DAY_MS);
}

/** The UTC month of a time in milliseconds, as `YYYY-MM`. */
export function monthOf(now: number): string {
  return dayOf(now).slice(0, 7);
}

/** Milliseconds until the next UTC month. */
export function untilNextMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - now;
}
