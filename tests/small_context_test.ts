/** Tool results and tool lists are cut to the model's context window, and the run record notes the cuts. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";

const SMALL = catalogueEntry({ contextTokens: 2_000, maxOutputTokens: 500 });
const BUDGET = { maxCostUsd: 1, maxSteps: 3, wallClockMs: 60_000 };
/** Bytes of the window that are left for prompt, tools and messages. */
const INPUT_BYTES = (2_000 - 500) * 3;

/** A service whose model has a small context window, and a loopback server for its tools. */
async function start(
  mock: MockProviders,
  answer: (request: Request) => Response | Promise<Response>,
) {
  const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(listen, answer);
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  const on = await ProviderService.start(mock, { catalogue: [SMALL], env: { EGRESS_ALLOW: host } });
  const stop = async () => {
    await on[Symbol.asyncDispose]();
    await server.shutdown();
  };
  return { on, host, [Symbol.asyncDispose]: stop };
}

Deno.test("a tool result larger than the context window is truncated, and the oldest messages are dropped", async () => {
  await using mock = await MockProviders.start();
  await using fixture = await start(mock, () => new Response("x".repeat(20_000)));
  const { on, host } = fixture;
  mock.next({ say: [{ calls: [{ id: "c1", name: "big", args: ["{}"] }] }] });
  const request = { method: "GET", url: `http://${host}/big` };
  const parameters = { type: "object" };
  const agent = await on.agent("vendor_a", {
    budget: BUDGET,
    allowedDomains: [host],
    tools: [{ type: "http", name: "big", description: "Big.", parameters, request }],
  });
  const messages = [
    { role: "user", content: "Earlier" },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "Now?" },
  ];
  const frames = await readFrames(await on.send(agent, { messages }));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const { body } = onlyFrame(frames, "tool_result").output as { body: string };
  assertEquals(body.length, 20_000);
  const roles = mock.requests[1]!.body.messages.map((m: { role: string }) => m.role);
  assertEquals(roles, ["system", "user", "assistant", "tool"]);
  const shown = mock.requests[1]!.body.messages.at(-1).content as string;
  assertStringIncludes(shown, "[cut: the first ");
  assert(shown.length > INPUT_BYTES / 2 && shown.length < INPUT_BYTES, `${shown.length}`);
  const [record] = await on.records();
  assertEquals([record?.droppedMessages, record?.cutResults], [2, 1]);
});

Deno.test("maxOutputTokens as large as the context window is reduced before messages are dropped", async () => {
  await using mock = await MockProviders.start();
  const local = catalogueEntry({ contextTokens: 2_000, maxOutputTokens: 2_000 });
  await using on = await ProviderService.start(mock, { catalogue: [local] });
  const modelPolicy = { provider: "vendor_a", model: "mid", maxOutputTokens: 2_000 };
  const agent = await on.agent("vendor_a", { modelPolicy, budget: BUDGET });
  const messages = [
    { role: "user", content: "My name is Ada." },
    { role: "assistant", content: "Hello Ada. ".repeat(100) },
    { role: "user", content: "What is my name?" },
  ];
  const frames = await readFrames(await on.send(agent, { messages }));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const { body } = mock.requests[0]!;
  assertEquals(body.messages.length, 4);
  const bytes = JSON.stringify(body.messages).length;
  assert(body.max_tokens > 1_500 && body.max_tokens + bytes / 3 < 2_020, `${body.max_tokens}`);
  const [record] = await on.records();
  assertEquals(record?.droppedMessages, undefined);
});

Deno.test("MCP tools that do not fit into the context window are left out and noted in the run record", async () => {
  await using mock = await MockProviders.start();
  const answer = mcpEndpoint({
    json: true,
    tools: (mcp) => {
      for (const name of ["one", "two", "three", "four", "five", "six"]) {
        mcp.registerTool(name, { description: "d".repeat(1_000) }, () => ({ content: [] }));
      }
    },
  });
  await using fixture = await start(mock, async (request) => {
    const { method, url, headers } = request;
    return await answer({ method, url, headers, body: await request.text() });
  });
  const { on, host } = fixture;
  const agent = await on.agent("vendor_a", {
    budget: BUDGET,
    allowedDomains: [host],
    tools: [{ type: "mcp", name: "shop", url: `http://${host}/mcp` }],
  });
  const frames = await readFrames(await on.send(agent));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const names = mock.requests[0]!.body.tools.map((tool: { function: { name: string } }) =>
    tool.function.name
  );
  assertEquals(names, ["one", "two", "three", "four"]);
  const [record] = await on.records();
  assertEquals(record?.notes, [
    "five is left out: it does not fit into the context",
    "six is left out: it does not fit into the context",
  ]);
});
