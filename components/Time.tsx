import { perLanguage, t } from "@/lib/dashboard/texts/translate.ts";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = perLanguage((language) =>
  new Intl.RelativeTimeFormat(language, { numeric: "auto" })
);
const dated = perLanguage((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" })
);
const exactly = perLanguage((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })
);

/** A time relative to now, or a date beyond 30 days, with the exact time as its title. */
export function Time({ at, now }: { at: string; now: number }) {
  const exact = at.slice(0, 16).replace("T", " ") + " UTC";
  return <time datetime={at} title={exact}>{describe(Date.parse(at), now)}</time>;
}

/** The exact time in UTC, which a script replaces with the reader's time zone. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at} data-exact>{`${exactly().format(Date.parse(at))} UTC`}</time>;
}

function describe(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) > 30 * 86_400_000) return dated().format(at);
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? [];
  if (unit === undefined || length === undefined) return t("just now");
  return relative().format(Math.trunc(distance / length), unit);
}
