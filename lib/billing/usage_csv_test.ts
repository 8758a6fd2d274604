import { assertEquals } from "@std/assert";
import { NO_USAGE } from "../store/runs/usage_rows.ts";
import { usageCsv } from "./usage_csv.ts";

Deno.test("usageCsv: numbers are bare, text is quoted, lines end with CRLF", () => {
  const usage = { runs: 3, failed: 1, inputTokens: 2_000, outputTokens: 10, cost: 1_234_567 };
  assertEquals(
    usageCsv(["agent"], [{ names: ['The "Shop", Ltd'], usage }]),
    '"agent","cost_usd","runs","failed_runs","input_tokens","output_tokens",' +
      '"cached_input_tokens","cache_write_tokens","cache_saved_usd","reasoning_tokens"\r\n' +
      '"The ""Shop"", Ltd",1.234567,3,1,2000,10,0,0,0.000000,0\r\n',
  );
});

Deno.test("usageCsv: what caching saved, which is negative if writing to caches cost more", () => {
  const usage = {
    ...{ ...NO_USAGE, cachedInputTokens: 900, cacheWriteTokens: 50 },
    ...{ cacheSavings: -12, reasoningTokens: 7 },
  };
  const [, line] = usageCsv(["day"], [{ names: ["2030-01-01"], usage }]).split("\r\n");
  assertEquals(line, '"2030-01-01",0.000000,0,0,0,0,900,50,-0.000012,7');
});

Deno.test("usageCsv: no cell is a formula for spreadsheets", () => {
  const names = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1", "＝1+1", "＠a"];
  for (const name of names) {
    const line = usageCsv(["name"], [{ names: [name], usage: NO_USAGE }]).split('"\r\n')[1]!;
    assertEquals(line.slice(0, 2), `"'`, JSON.stringify(name));
  }
  const harmless = usageCsv(["name"], [{ names: ["Shop - a=b"], usage: NO_USAGE }]);
  assertEquals(harmless.includes('"Shop - a=b"'), true);
});
