/** MCP servers that hang. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { agentOf, httpTool } from "@/tests/support/agents.ts";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { rawMcp, rpcsOf } from "@/tests/support/raw_mcp.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
import { ToolsetFactory } from "../toolset_factory.ts";

const SERVER = { type: "mcp", name: "crm", url: "https://tools.example.com/mcp" };

/** A server that never responds to `rpcs`, with a promise for the first such request. */
function hanging(...rpcs: string[]) {
  const asked = Promise.withResolvers<void>();
  const server = new EgressServer(rawMcp(({ rpc }) => {
    if (!rpcs.includes(rpc)) return undefined;
    asked.resolve();
    return new Promise<Response>(() => {});
  }));
  return { server, asked: asked.promise };
}

/** A clock with waits that the test ends. */
function heldClock() {
  const over = Promise.withResolvers<void>();
  const waits: number[] = [];
  const sleep = (ms: number) => {
    waits.push(ms);
    return over.promise;
  };
  return { runtime: { now: () => 0, sleep }, waits, ring: () => over.resolve() };
}

for (const rpc of ["initialize", "notifications/initialized", "tools/list"]) {
  Deno.test(`mcp: a server that hangs at ${rpc} is omitted after the list timeout`, async () => {
    const { server, asked } = hanging(rpc, "DELETE");
    const clock = heldClock();
    const toolset = toolsetOf(server, [SERVER, httpTool()], { ...clock, listTimeoutMs: 700 });
    const described = toolset.listTools(noAbort());
    await asked;
    clock.ring();
    assertEquals((await described).map(({ name }) => name), ["look_up"]);
    const note = "crm: tool_timeout: the server did not list its tools within 700 ms";
    assertEquals([toolset.notes, clock.waits], [[note], [700]]);
    await server.abandon();
    await toolset.close();
  });
}

Deno.test("mcp: a run aborted during listing does not wait for the session to end", async () => {
  const { server, asked } = hanging("tools/list", "DELETE");
  const toolset = toolsetOf(server, [SERVER]);
  const stop = new AbortController();
  const described = toolset.listTools(stop.signal);
  await asked;
  stop.abort();
  assertEquals(await described, []);
  assertStringIncludes(toolset.notes.join(), "the call was stopped");
  await server.abandon();
  await toolset.close();
});

Deno.test("mcp: the session of a server that timed out is ended", async () => {
  const listing = Promise.withResolvers<void>();
  await using server = new EgressServer(rawMcp(({ rpc }) => {
    if (rpc === "tools/list") listing.resolve();
    return rpc === "tools/list" ? new Promise<Response>(() => {}) : undefined;
  }));
  const clock = heldClock();
  const toolset = toolsetOf(server, [SERVER], clock);
  const described = toolset.listTools(noAbort());
  await listing.promise;
  clock.ring();
  assertEquals(await described, []);
  await toolset.close();
  assertEquals(rpcsOf(server.seen).filter((rpc) => rpc.startsWith("DELETE")), ["DELETE session-1"]);
  await server.abandon();
});

Deno.test("ToolsetFactory: servers have 5 s to list their tools, and at most a third of the run's time", async () => {
  await using server = new EgressServer(rawMcp());
  const { runtime, waits } = heldClock();
  const toolsets = new ToolsetFactory({
    egress: server.egress,
    runtime,
    findSecret: () => undefined,
  });
  const tools = agentOf({ tools: [SERVER], allowedDomains: ["tools.example.com"] });
  const budget = { maxCostUsd: 1, maxSteps: 1 };
  for (const wallClockMs of [1_000, 9_000, 120_000]) {
    const agent = { ...tools, budget: { ...budget, wallClockMs } };
    const toolset = toolsets.create({ tenant: "t", agent });
    assertEquals((await toolset.listTools(noAbort())).length, 1);
    await toolset.close();
  }
  assertEquals(waits, [333, 3_000, 5_000]);
});
