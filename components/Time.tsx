const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dated = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** How long ago (or ahead) a time is, as a date beyond 30 days; the exact time is its title. */
export function Time({ at, now }: { at: string; now: number }) {
  const exact = at.slice(0, 16).replace("T", " ") + " UTC";
  return <time datetime={at} title={exact}>{describe(Date.parse(at), now)}</time>;
}

const exactly = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** When exactly: in UTC, until a script tells it in the reader's zone. */
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
