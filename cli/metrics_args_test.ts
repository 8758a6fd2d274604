import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "./arguments.ts";
import { parseMetricsArgs } from "./metrics_args.ts";

Deno.test("parseMetricsArgs: shows the text format without arguments", () => {
  assertEquals(parseMetricsArgs([]), { action: "show", input: { format: "text" } });
  const open = { action: "show" as const, input: { format: "openmetrics" as const } };
  assertEquals(parseMetricsArgs(["--openmetrics"]), open);
  assertEquals(parseMetricsArgs(["show", "--openmetrics"]), open);
  assertEquals(parseMetricsArgs(["tenants"]), { action: "tenants", input: {} });
  assertEquals(parseMetricsArgs(["--help"]), { action: "help" });
});

Deno.test("parseMetricsArgs: rejects what it does not know", () => {
  for (const words of [["reset"], ["show", "x"], ["tenants", "--openmetrics"], ["--wide"]]) {
    assertThrows(() => parseMetricsArgs(words), UsageError);
  }
});
