import { assertEquals, assertThrows } from "@std/assert";
import { ApiError } from "./api_error.ts";
import { addDays, daysOf, orderDays, parseDayRange } from "./day_range.ts";

const TODAY = "2028-03-01";
/** Days next to years with more than four digits or a sign. */
const FAR = ["0000-01-01", "0000-12-31", "1969-12-31", "9999-01-01", "9999-12-31"];

Deno.test("parseDayRange: the last 30 days including today by default", () => {
  assertEquals(parseDayRange({ from: null, to: null }, TODAY), { from: "2028-02-01", to: TODAY });
  const to = "2027-12-31";
  assertEquals(parseDayRange({ from: null, to }, TODAY), { from: "2027-12-02", to });
});

Deno.test("parseDayRange: an invalid day and a reversed or too long range are rejected by name", () => {
  const pathOf = (from: string | null, to: string | null) => {
    const error = assertThrows(() => parseDayRange({ from, to }, TODAY), ApiError);
    return (error.details?.issues as { path: string }[])[0]?.path;
  };
  for (
    const day of [
      "",
      "today",
      "2028-2-1",
      "2027-02-29",
      "2028-02-30",
      "2028-01-01T00:00:00Z",
      ...FAR,
    ]
  ) {
    assertEquals(pathOf(day, null), "from", day);
    assertEquals(pathOf(null, day), "to", day);
  }
  assertEquals(pathOf("2028-02-02", "2028-02-01"), "from");
  assertEquals(pathOf("2027-02-28", TODAY), "from");
  assertEquals(parseDayRange({ from: "2027-03-02", to: TODAY }, TODAY).from, "2027-03-02");
});

Deno.test("addDays: crosses months and leap days", () => {
  assertEquals(addDays("2028-02-28", 1), "2028-02-29");
  assertEquals(addDays("2028-03-01", -1), "2028-02-29");
  assertEquals(addDays("2027-12-31", 1), "2028-01-01");
});

Deno.test("daysOf: a range at either end of the supported years has exactly its days", () => {
  for (const to of ["1970-01-01", "9998-12-31"]) {
    const days = daysOf(parseDayRange({ from: null, to }, TODAY));
    assertEquals([days.length, days.at(-1)], [30, to]);
  }
});

Deno.test("orderDays: swaps reversed days and keeps blank ones in place", () => {
  const [early, late] = ["2028-01-01", "2028-02-01"];
  assertEquals(orderDays({ from: late, to: early }), { from: early, to: late });
  assertEquals(orderDays({ from: early, to: late }), { from: early, to: late });
  assertEquals(orderDays({ from: late, to: "" }), { from: late, to: "" });
  assertEquals(orderDays({ from: "", to: early }), { from: "", to: early });
});
