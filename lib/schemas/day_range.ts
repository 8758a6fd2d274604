import { validationError } from "./api_error.ts";

const DAY_MS = 86_400_000;
/** Days a year beyond these still have four-digit years, so that days compare as strings. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "9998-12-31";
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Days of a query, both inclusive; UTC, `YYYY-MM-DD`. */
export type DayRange = { from: string; to: string };

/** True if `text` is a valid day as `YYYY-MM-DD` within the supported years. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // Date.parse turns February 30 into a day in March.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal && text >= FIRST_DAY && text <= LAST_DAY;
}

/** The UTC day some days after `day`, at most a year. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysOf({ from, to }: DayRange): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Swaps the days of a filter if they are reversed. Either may be blank. */
export function orderDays({ from, to }: DayRange): DayRange {
  return to !== "" && from > to ? { from: to, to: from } : { from, to };
}

/** The requested days, by default the last 30. Throws 400 for an invalid range. */
export function parseDayRange(
  asked: { from: string | null; to: string | null },
  today: string,
): DayRange {
  const to = parseDay(asked.to, "to") ?? today;
  const from = parseDay(asked.from, "from") ?? addDays(to, 1 - DEFAULT_DAYS);
  if (from > to) throw dayError("from", "must not be after `to`");
  if (addDays(from, MAX_DAYS - 1) < to) throw dayError("from", `is more than ${MAX_DAYS} days ago`);
  return { from, to };
}

function parseDay(text: string | null, path: string): string | undefined {
  if (text === null) return undefined;
  if (!isDay(text)) throw dayError(path, `must be a day as YYYY-MM-DD, from ${FIRST_DAY} on`);
  return text;
}

function dayError(path: string, message: string) {
  return validationError([{ path, code: "invalid_day", message }]);
}
