/** The service as Deno Deploy runs it, as far as one machine and a file store can show it. */
import { catalogueEntry } from "./support/chat.ts";
import { type Check, checkKnowledge, checkService, checkStop } from "./support/deploy/checks.ts";
import { DeployedProcess, type DeployOptions } from "./support/deploy/deployed_process.ts";
import { OtelCollector } from "./support/otel_collector.ts";
import { prepareBuild } from "./support/prepare_build.ts";
import { Visit } from "./support/deploy/visit.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { assertStringIncludes } from "@std/assert";

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

Deno.test("Deno Deploy: main.ts serves, and both it and deno serve end streams before they exit", async (t) => {
  await prepareBuild();
  const dir = await Deno.makeTempDir();
  try {
    await using mock = await MockProviders.start();
    await using collector = new OtelCollector();
    await Deno.writeTextFile(`${dir}/catalogue.json`, JSON.stringify([catalogueEntry()]));
    const options: DeployOptions = {
      deno: Deno.execPath(),
      root,
      store: { path: `${dir}/kv.sqlite3` },
      env: {
        CATALOGUE: `${dir}/catalogue.json`,
        VENDOR_A_BASE_URL: mock.url,
        VENDOR_A_API_KEY: "sk-test",
        ...collector.env,
      },
      flags: ["--deny-run"],
    };
    const check: Check = async (name, run) => {
      // Later checks depend on earlier ones.
      if (!await t.step(name, async () => void await run())) throw new Error(name);
    };
    let agent: string;
    let key: string;
    {
      await using process = await DeployedProcess.start(options);
      const visit = new Visit(process.url);
      const deployed = { process, visit, mock };
      agent = await checkService(check, deployed);
      await checkKnowledge(check, deployed);
      await checkStop(check, { ...deployed, agent });
      key = visit.key;
      await t.step("its log reaches OpenTelemetry", () => {
        const messages = collector.records.map(({ body }) => JSON.parse(body.stringValue).message);
        assertStringIncludes(messages[0], "client addresses come from");
      });
    }
    const args = ["serve", "-A", "--deny-run", "_fresh/server.js"];
    await using process = await DeployedProcess.start({ ...options, args });
    const visit = new Visit(process.url, key);
    // Few streams, because one address may send only 20 messages per minute.
    await checkStop(check, { process, visit, mock, agent, streams: 5 });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
