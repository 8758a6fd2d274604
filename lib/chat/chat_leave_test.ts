/** Runs with MCP servers that hang, also when their connections are closed. */
import { setImmediate } from "node:timers";
import { assertEquals, assertRejects } from "@std/assert";
import { chatRequest, finishedFrames, openChat } from "@/tests/support/chat.ts";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { end, FakeModel, text } from "@/tests/support/fake_model.ts";
import { rawMcp } from "@/tests/support/raw_mcp.ts";
import { ApiError } from "../schemas/api_error.ts";

const SERVER = { type: "mcp" as const, name: "crm", url: "https://tools.example.com/mcp" };
const HANGING = ["tools/list", "DELETE"];

/** A chat service and a server that reports requests but never answers them. */
async function opened(kv: Deno.Kv) {
  const waiting = new Map(HANGING.map((rpc) => [rpc, Promise.withResolvers<void>()]));
  const server = new EgressServer(rawMcp(({ rpc }) => {
    waiting.get(rpc)?.resolve();
    return waiting.has(rpc) ? new Promise<Response>(() => {}) : undefined;
  }));
  const models = { mid: new FakeModel([text("Hi"), end()]) };
  const parts = await openChat(kv, models, { egress: server.egress });
  const request = chatRequest("mid", { budget: { wallClockMs: 3_000 } });
  request.agent = {
    ...request.agent,
    tools: [SERVER],
    allowedDomains: ["tools.example.com"],
  };
  return { ...parts, server, request, asked: (rpc: string) => waiting.get(rpc)!.promise };
}

Deno.test("ChatService: an agent with a hanging MCP server answers", async () => {
  using kv = await Deno.openKv(":memory:");
  const { chat, begin, runtime, server, request, asked } = await opened(kv);
  const begun = begin(request);
  await asked("tools/list");
  await runtime.advance(1_000);
  const frames = await finishedFrames(await begun);
  assertEquals(frames.map(({ type }) => type), ["start", "delta", "usage", "done"]);
  await server.abandon();
  await chat.stopAll();
});

Deno.test("ChatService: a server that hangs on close delays only the shutdown", async () => {
  using kv = await Deno.openKv(":memory:");
  const { chat, begin, server, request, asked } = await opened(kv);
  const begun = assertRejects(() => begin(request), ApiError);
  await asked("tools/list");
  chat.active[0]?.stop("cancelled");
  const { message } = await begun;
  assertEquals(message, "the run was stopped before a model accepted it");
  assertEquals(chat.active, []);
  let stopped = false;
  const stopping = chat.stopAll().then(() => stopped = true);
  await asked("DELETE");
  await new Promise((resolve) => setImmediate(resolve));
  assertEquals(stopped, false);
  await server.abandon();
  await stopping;
});
