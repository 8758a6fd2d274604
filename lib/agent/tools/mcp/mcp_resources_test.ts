import { assertEquals, assertStringIncludes } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { mcpEndpoint } from "@/tests/support/mcp_server.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
// @ts-types="@modelcontextprotocol/sdk/server/mcp"
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ToolsetFactory } from "../toolset_factory.ts";
import { rawMcp } from "@/tests/support/raw_mcp.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";

const SERVER = { type: "mcp", name: "docs", url: "https://tools.example.com/mcp", resources: true };

/** A server with two resources, a template and a prompt. */
function addAll(server: McpServer): void {
  server.registerTool("ping", {}, () => ({ content: [{ type: "text", text: "pong" }] }));
  const price = { title: "Prices", mimeType: "text/plain" };
  server.registerResource("prices", "shop://prices", price, ({ href }) => ({
    contents: [{ uri: href, text: "Tea 3 EUR" }],
  }));
  server.registerResource("logo", "shop://logo", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, blob: btoa("png"), mimeType: "image/png" }],
  }));
  const template = new ResourceTemplate("shop://items/{id}", { list: undefined });
  server.registerResource("item", template, {}, ({ href }, { id }) => ({
    contents: [{ uri: href, text: id === "big" ? "x".repeat(70_000) : `Item ${id}` }],
  }));
  server.registerPrompt("greet", { description: "Greets." }, () => ({ messages: [] }));
}

Deno.test("mcp resources: the model lists and reads them, as text and within bounds", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: addAll, session: true }));
  const toolset = toolsetOf(server, [SERVER]);
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  assertEquals(names, ["ping", "docs_list_resources", "docs_read_resource"]);
  assertEquals(await toolset.execute("docs_list_resources", {}, noAbort()), {
    content: {
      resources: [
        { uri: "shop://prices", name: "prices", mimeType: "text/plain" },
        { uri: "shop://logo", name: "logo", mimeType: "image/png" },
      ],
      templates: [{ uri: "shop://items/{id}", name: "item" }],
    },
  });
  const read = (uri: string) => toolset.execute("docs_read_resource", { uri }, noAbort());
  assertEquals(await read("shop://prices"), { content: "Tea 3 EUR" });
  assertEquals(await read("shop://items/7"), { content: "Item 7" });
  assertEquals(await read("shop://logo"), { content: "(resource shop://logo)" });
  assertStringIncludes(JSON.stringify(await read("shop://items/big")), "tool_response_too_large");
  assertStringIncludes(JSON.stringify(await read("shop://none")), "error");
  await toolset.close();
});

Deno.test("mcp resources: what needs an approval at this server needs it for its resources too", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: addAll }));
  const toolset = toolsetOf(server, [{ ...SERVER, approval: "visitor", title: "Documents" }]);
  const tools = await toolset.listTools(noAbort());
  for (const { name } of tools) {
    const { wait, title } = toolset.traitsOf(name);
    assertEquals([name, wait, title], [name, { for: "visitor" }, "Documents"]);
  }
  assertEquals(tools.length, 3);
  await toolset.close();
});

Deno.test("mcp resources: they are off by default", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: addAll }));
  const toolset = toolsetOf(server, [{ ...SERVER, resources: undefined }]);
  assertEquals((await toolset.listTools(noAbort())).map(({ name }) => name), ["ping"]);
  await toolset.close();
});

Deno.test("describeServer: lists what a server offers, or says what is wrong", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: addAll, session: true }));
  const { runtime } = instantRuntime();
  const factory = new ToolsetFactory({
    egress: server.egress,
    runtime,
    findSecret: () => undefined,
  });
  const describe = (url: string) =>
    factory.describeServer({
      tenant: "tenant",
      agent: {
        tools: [{ type: "mcp", name: "docs", url }],
        allowedDomains: ["tools.example.com"],
      },
      name: "docs",
      signal: noAbort(),
    });
  assertEquals(await describe(SERVER.url), {
    offer: {
      tools: [{ name: "ping" }],
      resources: [
        { uri: "shop://prices", name: "prices", mimeType: "text/plain" },
        { uri: "shop://logo", name: "logo", mimeType: "image/png" },
        { uri: "shop://items/{id}", name: "item" },
      ],
      prompts: [{ name: "greet", description: "Greets." }],
    },
  });
  assertStringIncludes(JSON.stringify(await describe("https://not.example")), "domain_not_allowed");
});

Deno.test("describeServer: a server that answers nothing more is waited for 30 s", async () => {
  const listing = Promise.withResolvers<void>();
  await using server = new EgressServer(rawMcp(({ rpc }) => {
    if (rpc !== "tools/list") return undefined;
    listing.resolve();
    return new Promise<Response>(() => {});
  }));
  const runtime = new FakeRuntime();
  const findSecret = () => undefined;
  const factory = new ToolsetFactory({ egress: server.egress, runtime, findSecret });
  const { url } = SERVER;
  const describing = factory.describeServer({
    tenant: "tenant",
    agent: { tools: [{ type: "mcp", name: "docs", url }], allowedDomains: ["tools.example.com"] },
    name: "docs",
    signal: noAbort(),
  });
  await listing.promise;
  await runtime.advance(30_000);
  const message = "the call was stopped";
  assertEquals(await describing, { error: { code: "tool_timeout", message } });
  await server.abandon();
});
