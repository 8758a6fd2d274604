/**
 * "2 hours ago", "in 3 days": rounded to the later unit, so that what is to come is never too early.
 */
export function relativeTime(at: string, lang: string): string {
  const hours = (Date.parse(at) - Date.now()) / 3_600_000;
  return Math.abs(hours) < 24
    ? formatTime(Math.ceil(hours), { lang, unit: "hour" })
    : formatTime(Math.ceil(hours / 24), { lang, unit: "day" });
}

/** 0 is the current one: "this month". */
export function formatTime(
  n: number,
  { lang, unit }: { readonly lang: string; readonly unit: Intl.RelativeTimeFormatUnit },
): string {
  return new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(n, unit);
}
