import { downloadLines } from "@/lib/dashboard/test_sets/download_lines.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { undefinedIfNotFound, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

/** All cases as lines of JSON. */
export const handler = define.handlers({
  async GET(ctx) {
    const { tenant } = signedIn(ctx.state);
    const lines = await undefinedIfNotFound(() =>
      ctx.state.service.testCases.export({ tenant, id: uuidParam(ctx.params.id) })
    );
    return downloadLines(lines, { name: "cases.jsonl", type: "application/x-ndjson" });
  },
});
