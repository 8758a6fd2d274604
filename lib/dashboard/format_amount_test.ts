import { assertEquals } from "@std/assert";
import { formatBytes, formatCount, formatMicroUsd, formatMs, plural } from "./format_amount.ts";

Deno.test("formatMicroUsd: cents from a dime on, below it as many digits as can be read", () => {
  const told = [0, 12, 99, 100, 12_345, 99_999, 100_000, 1_234_567, 5_000_000_000].map(
    formatMicroUsd,
  );
  assertEquals(told, [
    ...["$0.00", "< $0.0001", "< $0.0001", "$0.0001", "$0.0123", "$0.1000", "$0.10"],
    ...["$1.23", "$5,000.00"],
  ]);
});

Deno.test("formatCount, formatMs, plural: figures as they are read", () => {
  assertEquals(formatCount(1234567), "1,234,567");
  assertEquals([formatMs(340.4), formatMs(2_449)], ["340 ms", "2.4 s"]);
  assertEquals([1, 2_000].map((n) => plural(n, "{count} run", "{count} runs")), [
    "1 run",
    "2,000 runs",
  ]);
});

Deno.test("formatBytes: in the largest unit that is not below one", () => {
  const told = [0, 1_023, 1_024, 12_345, 1_048_575, 20 * 1_048_576].map(formatBytes);
  assertEquals(told, ["0 B", "1023 B", "1 KiB", "12 KiB", "1.0 MiB", "20.0 MiB"]);
});
