const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dated = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** A time relative to now, or a date beyond 30 days, with the exact time as its title. */
export function Time({ at, now }: { at: string; now: number }) {
  const exact = at.slice(0, 16).replace("T", " ") + " UTC";
  return <time datetime={at} title={exact}>{describe(Date.parse(at), now)}</time>;
}

const exactly = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** The exact time in UTC, which a script replaces with the reader's time zone. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at} data-exact>{`${exactly.format(Date.parse(at))} UTC`}</time>;
}

function describe(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) > 30 * 86_400_000) return dated.format(at);
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? [];
  if (unit === undefined || length === undefined) return "just now";
  return relative.format(Math.trunc(distance / length), unit);
}
