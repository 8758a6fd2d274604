import { downloadLines } from "@/lib/dashboard/test_sets/download_lines.ts";
import { testRunName } from "@/lib/dashboard/test_sets/test_run_name.ts";
import { undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** All results, as lines of JSON or with `?format=csv` as a table. */
export const handler = define.handlers({
  async GET(ctx) {
    const isCsv = ctx.url.searchParams.get("format") === "csv";
    const text = await undefinedIfNotFound(() =>
      ctx.state.service.testRunReader.export(testRunName(ctx), isCsv ? "csv" : "jsonl")
    );
    return downloadLines(
      text,
      isCsv
        ? { name: "results.csv", type: "text/csv; charset=utf-8" }
        : { name: "results.jsonl", type: "application/x-ndjson" },
    );
  },
});
