/** What tools bring is fitted to the model's context, and what was left out is on the record. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";

const SMALL = catalogueEntry({ contextTokens: 2_000, maxOutputTokens: 500 });
const USE = { maxCostUsd: 1, maxSteps: 3, wallClockMs: 60_000 };
/** What is left of it for prompt, tools and messages, in bytes. */
const ROOM = (2_000 - 500) * 3;

/** A service whose model has little room, and a server on loopback for its tools. */
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

Deno.test("a tool's answer larger than the model's context is shown cut, and the oldest turns go", async () => {
  await using mock = await MockProviders.start();
  await using world = await start(mock, () => new Response("x".repeat(20_000)));
  const { on, host } = world;
  mock.next({ say: [{ calls: [{ id: "c1", name: "big", args: ["{}"] }] }] });
  const request = { method: "GET", url: `http://${host}/big` };
  const parameters = { type: "object" };
  const agent = await on.agent("vendor_a", {
    budget: USE,
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
  const told = mock.requests[1]!.body.messages.map((m: { role: string }) => m.role);
  assertEquals(told, ["system", "user", "assistant", "tool"]);
  const shown = mock.requests[1]!.body.messages.at(-1).content as string;
  assertStringIncludes(shown, "[cut: the first ");
  assert(shown.length > ROOM / 2 && shown.length < ROOM, `${shown.length}`);
  const [record] = await on.records();
  assertEquals([record?.droppedMessages, record?.cutResults], [2, 1]);
});

Deno.test("an answer as long as the context is cut before the conversation is", async () => {
  await using mock = await MockProviders.start();
  const local = catalogueEntry({ contextTokens: 2_000, maxOutputTokens: 2_000 });
  await using on = await ProviderService.start(mock, { catalogue: [local] });
  const modelPolicy = { provider: "vendor_a", model: "mid", maxOutputTokens: 2_000 };
  const agent = await on.agent("vendor_a", { modelPolicy, budget: USE });
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

Deno.test("tools that a server lists beyond the model's context are left out and noted", async () => {
  await using mock = await MockProviders.start();
  const answer = mcpEndpoint({
    json: true,
    tools: (mcp) => {
      for (const name of ["one", "two", "three", "four", "five", "six"]) {
        mcp.registerTool(name, { description: "d".repeat(1_000) }, () => ({ content: [] }));
      }
    },
  });
  await using world = await start(mock, async (request) => {
    const { method, url, headers } = request;
    return await answer({ method, url, headers, body: await request.text() });
  });
  const { on, host } = world;
  const agent = await on.agent("vendor_a", {
    budget: USE,
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
