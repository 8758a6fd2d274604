import { type BusinessHours, type Weekday, WEEKDAYS } from "./handoff.ts";

/** True if `now` (milliseconds) is in one of the weekly intervals, by the zone's local time. */
export function isWithinBusinessHours({ timeZone, week }: BusinessHours, now: number): boolean {
  const { day, time } = localTime(now, timeZone);
  return week.some((one) => one.day === day && one.from <= time && time < one.to);
}

/** The local day and time of day; clock changes are those of the zone. */
function localTime(now: number, timeZone: string): { day: Weekday; time: string } {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((one) => one.type === type)?.value ?? "";
  const day = WEEKDAYS.find((one) => one === part("weekday").toLowerCase())!;
  return { day, time: `${part("hour")}:${part("minute")}` };
}
