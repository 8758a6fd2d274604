import { assert, assertEquals, assertMatch } from "@std/assert";
import { ScrapedMetrics } from "../tests/support/scraped_metrics.ts";
import { inTempDir, runCli } from "../tests/support/command_line.ts";
import { startService } from "../tests/support/started_service.ts";

Deno.test("metrics: prints what a running service measures, and which tenant has which label", () =>
  inTempDir(async (dir) => {
    await using service = await startService(dir, { LOG_LEVEL: "error" });
    await (await fetch(`${service.base}/healthz`)).body?.cancel();
    const metrics = (...words: string[]) => runCli("metrics", words, { dir: `${dir}/data` });
    const shown = await metrics();
    assertEquals([shown.code, shown.err], [0, ""]);
    const scraped = new ScrapedMetrics(shown.out);
    const request = { route: "/healthz", code: "200", process: "1" };
    assertEquals(scraped.sum("agent_chat_http_requests_total", request), 1);
    assertEquals(scraped.sum("agent_chat_server_processes"), 1);
    assert((await metrics("--openmetrics")).out.endsWith("\n# EOF\n"));
    const { out } = await metrics("tenants");
    assertMatch(out, /^LABEL +TENANT +NAME\n[\w-]{11} +[0-9a-f-]{36} +Default\n$/);
  }));

Deno.test("metrics: without a service it fails and says so", () =>
  inTempDir(async (dir) => {
    const { code, out, err } = await runCli("metrics", [], { dir });
    assertEquals([code, out], [1, ""]);
    assert(err.includes("no service runs on this data folder"));
  }));
