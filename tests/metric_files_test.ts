/** The dashboard and the alert rules of `deploy/` fit the metrics that the service has. */
import { assert, assertEquals } from "@std/assert";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { HAS_PROMETHEUS, Prometheus } from "./support/prometheus.ts";
import { ProviderService } from "./support/provider_service.ts";
import { ScrapedMetrics } from "./support/scraped_metrics.ts";
import { TestService } from "./support/service.ts";

const DEPLOY = new URL("../deploy/", import.meta.url).pathname;
const TOKEN = "scrape-token-of-a-test";
const env = { METRICS_TOKEN: TOKEN };

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

async function dashboardPanels(): Promise<Panel[]> {
  const { panels } = JSON.parse(await Deno.readTextFile(`${DEPLOY}/grafana/agent_chat.json`));
  return panels.filter(({ type }: Panel) => type !== "row");
}

/** The names of metrics in text, without those of Prometheus itself. */
function namesIn(text: string): string[] {
  const names = text.match(/\b(?:agent_chat|process)_[a-z_]+/g) ?? [];
  return [...new Set(names)].filter((name) => name !== "process_");
}

/** Every name that a series of these metrics can have. */
function seriesNames(metrics: ScrapedMetrics): Set<string> {
  return new Set(
    [...metrics.types].flatMap(([name, type]) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name]
    ),
  );
}

Deno.test("every metric that the dashboard, the alerts and docs/telemetry.md name exists", async () => {
  await using service = await TestService.start({ env });
  const response = await service.fetch("/metrics", { key: TOKEN });
  const metrics = new ScrapedMetrics(await response.text());
  const known = seriesNames(metrics);
  const panels = await dashboardPanels();
  assert(panels.length > 20);
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const names = namesIn(expr);
      assert(names.length > 0, `${title} queries no metric`);
      for (const name of names) assert(known.has(name), `${title}: there is no ${name}`);
    }
  }
  for (const file of ["alerts.yml", "alerts_test.yml"]) {
    const names = namesIn(await Deno.readTextFile(`${DEPLOY}/prometheus/${file}`));
    for (const name of names) assert(known.has(name), `${file}: there is no ${name}`);
  }
  const page = await Deno.readTextFile(`${DEPLOY}/../docs/telemetry.md`);
  const documented = namesIn(page);
  for (const name of documented) {
    const isKnown = known.has(name) || metrics.types.has(name);
    assert(isKnown, `docs/telemetry.md: there is no ${name}`);
  }
  const missing = [...metrics.types.keys()].filter((name) => !documented.includes(name));
  assertEquals(missing, [], "metrics without documentation");
});

Deno.test({
  name: "promtool accepts the configuration and the alert rules, and their tests hold",
  ignore: !HAS_PROMETHEUS,
  fn: async () => {
    const dir = await Deno.makeTempDir();
    for await (const { name } of Deno.readDir(`${DEPLOY}/prometheus`)) {
      await Deno.copyFile(`${DEPLOY}/prometheus/${name}`, `${dir}/${name}`);
    }
    await Deno.writeTextFile(`${dir}/metrics_token`, TOKEN);
    for (
      const args of [
        ["check", "config", "prometheus.yml"],
        ["check", "rules", "alerts.yml"],
        ["test", "rules", "alerts_test.yml"],
      ]
    ) {
      const { code, stdout, stderr } = await new Deno.Command("promtool", { args, cwd: dir })
        .output();
      const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(code, 0, output);
    }
    await Deno.remove(dir, { recursive: true });
  },
});

Deno.test({
  name: "promtool finds nothing wrong with the metrics",
  ignore: !HAS_PROMETHEUS,
  fn: async () => {
    await using service = await TestService.start({ env });
    const response = await service.fetch("/metrics", { key: TOKEN });
    const command = new Deno.Command("promtool", {
      args: ["check", "metrics"],
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    });
    await using promtool = command.spawn();
    await response.body!.pipeTo(promtool.stdin);
    const { code, stdout, stderr } = await promtool.output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertEquals([code, output], [0, ""]);
  },
});

/** Without data in a test: no backup is made, and no provider fails. */
const WITHOUT_DATA = ["Age of the last backup", "Failures of providers"];

Deno.test({
  name: "a Prometheus server reads the service, evaluates every alert, and fills every panel",
  ignore: !HAS_PROMETHEUS,
  fn: async () => {
    await using mock = await MockProviders.start();
    await using providers = await ProviderService.start(mock, { env });
    const { service } = providers;
    await using prometheus = await Prometheus.start({ target: service.url, token: TOKEN });
    const agent = await providers.agent("vendor_a");
    await readFrames(await providers.send(agent));
    const count = async () => {
      const [result] = await prometheus.query("sum(agent_chat_runs_ended_total)");
      return Number(result?.value[1] ?? 0);
    };
    await prometheus.until(async () => await count() === 1);
    const rejected = await service.fetch("/v1/agents", { key: "none" });
    assertEquals(rejected.status, 401);
    await rejected.body?.cancel();
    for (let n = 0; n < 3; n++) await readFrames(await providers.send(agent));
    await prometheus.until(async () => await count() === 4);
    const seen = async () => {
      const rules = await prometheus.rules();
      return rules.length > 0 && rules.every(({ health }) => health !== "unknown");
    };
    await prometheus.until(seen);
    for (const { name, health, lastError } of await prometheus.rules()) {
      assertEquals([name, health, lastError ?? ""], [name, "ok", ""]);
    }
    for (const { title, targets = [] } of await dashboardPanels()) {
      for (const { expr } of targets) {
        const query = expr.replaceAll("$__rate_interval", "1m").replaceAll("$job", ".+");
        const results = await prometheus.query(query);
        if (title === "Rejections by limit" || WITHOUT_DATA.includes(title)) continue;
        assert(results.length > 0, `${title} is empty: ${query}`);
      }
    }
  },
});
