import { perLanguage } from "./texts/translate.ts";

const shortDays = perLanguage((language) =>
  new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" })
);
const longDays = perLanguage((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" })
);

/** A day (UTC, `YYYY-MM-DD`) as `Jan 12`. */
export function formatDay(day: string): string {
  return shortDays().format(timeOf(day));
}

/** Two days as `Jan 12 – 18`. */
export function formatDays(from: string, to: string): string {
  return shortDays().formatRange(timeOf(from), timeOf(to));
}

/** A day as `Thursday, January 15, 2026`. */
export function formatLongDay(day: string): string {
  return longDays().format(timeOf(day));
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
