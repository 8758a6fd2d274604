/** The program and the settings in docs/mcp-server.md. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
// @ts-types="@modelcontextprotocol/sdk/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const page = await Deno.readTextFile(new URL("../docs/mcp-server.md", import.meta.url));

function blocks(language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  return [...found].map(([, text]) => text!);
}

Deno.test("docs/mcp-server.md: the program lists the tools and prints the agent's answer", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  await service.agent(key);
  const [program] = blocks("js");
  const lines = program!.split("\n");
  assertEquals(
    lines.filter((line) => line.startsWith("import")).map((line) => line.split('"')[1]),
    [
      "@modelcontextprotocol/sdk/client/index.js",
      "@modelcontextprotocol/sdk/client/streamableHttp.js",
    ],
  );
  const body = lines.filter((line) => !line.startsWith("import")).join("\n");
  const logged: unknown[] = [];
  const names = ["Client", "StreamableHTTPClientTransport", "process", "console"];
  const run = new Function(...names, `return (async () => {${body}})();`);
  const env = { AGENT_CHAT_URL: service.url, AGENT_CHAT_KEY: key };
  const log = (value: unknown) => void logged.push(value);
  await run(Client, StreamableHTTPClientTransport, { env }, { log });
  const [tools, ...pieces] = logged as [string[], ...string[]];
  assert(tools.includes("ask_helper"));
  assert(pieces.length > 1);
  assertEquals(pieces.slice(0, -1).join(""), pieces.at(-1));
});

Deno.test("docs/mcp-server.md: the settings are JSON with the server's path and a Bearer key", () => {
  const settings = blocks("json").map((text) => JSON.parse(text));
  assertEquals(settings.length, 2);
  for (const { mcpServers, servers } of settings) {
    const { url, headers } = (mcpServers ?? servers).agents;
    assertEquals(new URL(url).pathname, "/v1/mcp");
    assertStringIncludes(headers.Authorization, "Bearer ${");
  }
});
