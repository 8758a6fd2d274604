import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
import type { CallableTool } from "./callable_tool.ts";
import { ToolError } from "./tool_error.ts";

function builtIn(call: CallableTool["call"]): CallableTool {
  const parameters = { type: "object", properties: { query: { type: "string" } } };
  return { tool: { name: "search_knowledge", description: "Searches.", parameters }, call };
}

Deno.test("createToolset: lists the built-in tools and the agent's", async () => {
  await using server = new EgressServer(() => new Response("ok"));
  const toolset = toolsetOf(
    server,
    [httpTool({ name: "a" }), httpTool({ name: "search_knowledge" })],
    { builtIn: [builtIn(() => Promise.resolve("found"))] },
  );
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  assertEquals(names, ["search_knowledge", "a"]);
  assertEquals(await toolset.execute("search_knowledge", { query: "x" }, noAbort()), "found");
  await toolset.close();
});

Deno.test("createToolset: inherited properties are not tools", async () => {
  await using server = new EgressServer(() => new Response("ok"));
  const toolset = toolsetOf(server, [httpTool()]);
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "", "look_up "]) {
    assertEquals(await toolset.execute(name, {}, noAbort()), {
      error: { code: "tool_unknown", message: `there is no tool named ${name}` },
    });
  }
});

Deno.test("createToolset: a tool error is its output, unexpected errors are thrown", async () => {
  await using server = new EgressServer(() => new Response("ok"));
  const failing = builtIn(() => Promise.reject(new ToolError("tool_timeout", "too slow")));
  const output = await toolsetOf(server, [], { builtIn: [failing] })
    .execute("search_knowledge", {}, noAbort());
  assertEquals(output, { error: { code: "tool_timeout", message: "too slow" } });
  const broken = builtIn(() => Promise.reject(new TypeError("ours")));
  const toolset = toolsetOf(server, [], { builtIn: [broken] });
  await assertRejects(() => toolset.execute("search_knowledge", {}, noAbort()), TypeError);
});

Deno.test("createToolset: records every hop of every call", async () => {
  await using server = new EgressServer(({ url }) =>
    url.includes("find")
      ? new Response(null, { status: 302, headers: { location: "/moved" } })
      : new Response("moved")
  );
  const toolset = toolsetOf(server, [
    httpTool(),
    httpTool({ name: "away" }, { url: "https://evil.example/" }),
  ]);
  await toolset.execute("look_up", { q: "x" }, noAbort());
  await toolset.execute("away", {}, noAbort());
  const ledger = toolset.egressCalls.map((
    { host, hop, status, bytes },
  ) => [host, hop, status, bytes]);
  assertEquals(ledger, [
    ["tools.example.com", 0, 302, 0],
    ["tools.example.com", 1, 200, 5],
    ["evil.example", 0, undefined, 0],
  ]);
  assertEquals(toolset.egressCalls[2]?.refused, "the host evil.example is not in allowedDomains");
});

Deno.test("createToolset: an aborted run aborts its call", async () => {
  const asked = Promise.withResolvers<void>();
  const server = new EgressServer(() => {
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const stop = new AbortController();
  const call = toolsetOf(server, [httpTool()]).execute("look_up", {}, { signal: stop.signal });
  await asked.promise;
  stop.abort();
  assertEquals(await call, { error: { code: "tool_timeout", message: "the call was stopped" } });
  await server.abandon();
});
