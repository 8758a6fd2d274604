/** A run is settled and its record stays small, whatever its tools' servers send. */
import { assert, assertEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";

Deno.test("a tool server's 12 KB redirects do not stop the run from being settled and recorded", async () => {
  const location = `https://${"a".repeat(12_000)}.example/`;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(null, { status: 302, headers: { location } }),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  await using mock = await MockProviders.start();
  const calls = Array.from(
    { length: 6 },
    (_, n) => ({ id: `c${n}`, name: "lookup", args: ["{}"] }),
  );
  mock.next({ say: [{ calls }] }, {});
  await using on = await ProviderService.start(mock, { env: { EGRESS_ALLOW: host } });
  const request = { method: "GET", url: `http://${host}/` };
  const tools = [httpTool({ request })];
  const agent = await on.agent("vendor_a", { tools, allowedDomains: [host] });
  const frames = await readFrames(await on.send(agent));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const [record, ...others] = await on.records();
  assert(record !== undefined && others.length === 0);
  assertEquals([record.toolCalls, record.egress?.length], [6, 12]);
  assertEquals(record.cost, Math.round(onlyFrame(frames, "usage").costUsd * 1e6));
  assert(JSON.stringify(record).length < 16_384);
});
