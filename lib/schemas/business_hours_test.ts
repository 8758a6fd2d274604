import { assertEquals } from "@std/assert";
import { isWithinBusinessHours } from "./business_hours.ts";
import { handoffSchema } from "./handoff.ts";

const at = (iso: string) => Date.parse(iso);
const sunday = (from: string, to: string) => ({
  timeZone: "Europe/Berlin",
  week: [{ day: "sun" as const, from, to }],
});

Deno.test("isWithinBusinessHours: the start is included, the end is not, and other days are closed", () => {
  const hours = {
    timeZone: "America/New_York",
    week: [
      { day: "mon" as const, from: "09:00", to: "12:30" },
      { day: "mon" as const, from: "13:30", to: "24:00" },
    ],
  };
  // 26 January 2026 is a Monday; New York is 5 hours behind UTC.
  const cases: [string, boolean][] = [
    ["2026-01-26T13:59:59.999Z", false],
    ["2026-01-26T14:00:00Z", true],
    ["2026-01-26T17:29:59Z", true],
    ["2026-01-26T17:30:00Z", false],
    ["2026-01-26T18:30:00Z", true],
    // 23:59 on Monday, then midnight.
    ["2026-01-27T04:59:00Z", true],
    ["2026-01-27T05:00:00Z", false],
    ["2026-01-25T15:00:00Z", false],
  ];
  for (const [time, isOpen] of cases) {
    assertEquals(isWithinBusinessHours(hours, at(time)), isOpen, time);
  }
});

Deno.test("isWithinBusinessHours: follows the change to daylight saving time", () => {
  // On 29 March 2026 clocks in Berlin go from 02:00 to 03:00 at 01:00 UTC.
  const hours = sunday("03:00", "04:00");
  assertEquals(isWithinBusinessHours(hours, at("2026-03-29T00:59:59Z")), false);
  assertEquals(isWithinBusinessHours(hours, at("2026-03-29T01:00:00Z")), true);
  assertEquals(isWithinBusinessHours(hours, at("2026-03-29T02:00:00Z")), false);
  // The hour from 02:00 to 03:00 does not exist on that day.
  const skipped = sunday("02:00", "03:00");
  for (let minute = 0; minute < 24 * 60; minute++) {
    const time = at("2026-03-28T23:00:00Z") + minute * 60_000;
    assertEquals(isWithinBusinessHours(skipped, time), false);
  }
});

Deno.test("isWithinBusinessHours: follows the change back, on which an hour happens twice", () => {
  // On 25 October 2026 clocks in Berlin go from 03:00 back to 02:00 at 01:00 UTC.
  const hours = sunday("02:00", "03:00");
  const open = Array.from({ length: 6 }, (_, n) => at("2026-10-24T23:00:00Z") + n * 30 * 60_000)
    .filter((time) => isWithinBusinessHours(hours, time));
  assertEquals(open.map((time) => new Date(time).toISOString().slice(11, 16)), [
    ...["00:00", "00:30", "01:00", "01:30"],
  ]);
  assertEquals(isWithinBusinessHours(sunday("08:00", "09:00"), at("2026-10-25T07:30:00Z")), true);
});

Deno.test("handoffSchema: rejects unknown zones, offsets, reversed and overlapping intervals", () => {
  const base = { enabled: true, by: ["model"], message: "Soon." };
  const issuesOf = (businessHours: unknown) =>
    handoffSchema.safeParse({ ...base, businessHours }).error?.issues
      .map(({ path }) => path.join(".")) ?? [];
  const day = (from: string, to: string) => ({ day: "mon", from, to });
  const week = [day("09:00", "17:00")];
  assertEquals(issuesOf({ timeZone: "Europe/Berlin", week }), []);
  for (const timeZone of ["+01:00", "Mars/Base", "", "Europe/Berlin\0"]) {
    assertEquals(issuesOf({ timeZone, week }), ["businessHours.timeZone"], timeZone);
  }
  const invalid: [unknown[], string][] = [
    [[day("17:00", "09:00")], "businessHours.week.0.to"],
    [[day("09:00", "09:00")], "businessHours.week.0.to"],
    [[day("9:00", "17:00")], "businessHours.week.0.from"],
    [[day("09:00", "24:01")], "businessHours.week.0.to"],
    [[day("09:00", "12:00"), day("11:59", "13:00")], "businessHours.week.1"],
    [[], "businessHours.week"],
  ];
  for (const [week, path] of invalid) {
    assertEquals(issuesOf({ timeZone: "Europe/Berlin", week })[0], path, JSON.stringify(week));
  }
  const touching = [day("09:00", "12:00"), day("12:00", "13:00")];
  assertEquals(issuesOf({ timeZone: "Europe/Berlin", week: touching }), []);
  for (const by of [[], ["model", "model"], ["nobody"]]) {
    assertEquals(handoffSchema.safeParse({ ...base, by }).success, false);
  }
});
