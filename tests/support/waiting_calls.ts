import { setImmediate } from "node:timers";
import { assertEquals } from "@std/assert";
import type { FrameOf } from "@/lib/schemas/frames.ts";
import { httpTool } from "./agent_bodies.ts";
import { openTestKv } from "./open_kv.ts";
import { TestService, type TestServiceOptions } from "./service.ts";
import { SseText } from "./sse_text.ts";
import { byKey, embed, onPage, ORIGIN, say } from "./widget_calls.ts";

/** A call that the tools of this file are asked to make by the demo model. */
export const CALL = { q: "A-1042" };

/** What a tool's server received. */
export interface ToolRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

/** A tool's server on loopback. */
export function toolServer(
  answer: (request: ToolRequest, n: number) => Response | Promise<Response> = () =>
    Response.json({ done: true }),
) {
  const requests: ToolRequest[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (got) => {
      const { method, url, headers } = got;
      const request = { method, url, headers, body: await got.text() };
      return await answer(request, requests.push(request));
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  return { requests, host, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A tool with effects at a host. */
export function refundAt(host: string, change: Record<string, unknown> = {}) {
  return httpTool({
    name: "refund",
    request: { method: "POST", url: `http://${host}/refunds`, body: { q: "{{q}}" } },
    ...change,
  });
}

/** A tool of the visitor's page. */
export function pageTool(change: Record<string, unknown> = {}) {
  return {
    ...{ type: "client", name: "cart", description: "Reads the cart." },
    parameters: { type: "object", properties: { q: { type: "string" } } },
    output: {
      type: "object",
      properties: { items: { type: "integer" } },
      required: ["items"],
      additionalProperties: false,
    },
    ...change,
  };
}

/** A service with an agent whose tools wait, a session on its page, and a server of tools. */
export async function openWaitingCalls(
  tools: (host: string) => unknown[],
  { answer, kv, agent, SETUP_TOKEN, ...options }: TestServiceOptions & {
    answer?: Parameters<typeof toolServer>[0];
    /** Other fields of the agent. */
    agent?: Record<string, unknown>;
    SETUP_TOKEN?: string;
  } = {},
) {
  const server = toolServer(answer);
  const store = kv ?? await openTestKv();
  const start = () =>
    TestService.start({
      ...options,
      kv: store,
      keepKv: true,
      env: { EGRESS_ALLOW: server.host, ...SETUP_TOKEN && { SETUP_TOKEN } },
    });
  const service = await start();
  const embedded = await embed(service, {
    tools: tools(server.host),
    allowedDomains: [server.host],
    ...agent,
  });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    if (kv === undefined) store.close();
  };
  return {
    ...{ server, kv: store, service, start, ...embedded },
    /** Sends a message that makes the demo model call a tool, on the page. */
    ask: (name: string, body: Record<string, unknown> = {}) =>
      onPage(service, { ...embedded, body: { ...asking(name), ...body } }),
    askByKey: (name: string, body: Record<string, unknown> = {}) =>
      byKey(service, {
        key: embedded.key,
        body: { agentId: embedded.agent.id, ...asking(name), ...body },
      }),
    [Symbol.asyncDispose]: dispose,
  };
}

export type WaitingCalls = Awaited<ReturnType<typeof openWaitingCalls>>;

function asking(name: string) {
  return { messages: [say(`use ${name} with ${JSON.stringify(CALL)}`)] };
}

/** Asks once per turn of the event loop, until there is an answer. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise<void>((wake) => setImmediate(() => wake()));
  }
}

/** Reads a stream to its first call, which waits. */
export async function untilPending(asked: Response | Promise<Response>): Promise<{
  sse: SseText;
  runId: string;
  n: number;
  call: FrameOf<"tool_call">;
}> {
  const response = await asked;
  assertEquals(response.status, 200);
  const sse = new SseText(response);
  await sse.until('"pending":true');
  await sse.until("\n\n");
  const runId = response.headers.get("x-run-id")!;
  const id = [...sse.text.matchAll(/^id: (\S+)$/gm)].at(-1)![1]!;
  return { sse, runId, n: Number(id.split(".")[1]), call: sse.frame("tool_call") };
}

/** Answers a call with the page's session. */
export function reply(
  service: TestService,
  { runId, n, sessionToken, key, origin = ORIGIN }: {
    runId: string;
    n: number | string;
    sessionToken?: string;
    key?: string;
    origin?: string;
  },
  json: unknown,
): Promise<Response> {
  const name = typeof json === "object" && json !== null && "approve" in json
    ? "decision"
    : "output";
  return service.fetch(`/v1/chat/runs/${runId}/calls/${n}/${name}`, {
    ...{ method: "POST", json },
    ...key !== undefined && { key },
    ...sessionToken !== undefined && {
      headers: { "x-service-session": sessionToken, origin },
    },
  });
}

/** Reads to the end, and returns the text and the frame `tool_result`. */
export async function finish(
  sse: SseText,
): Promise<{ result: FrameOf<"tool_result">; done: FrameOf<"done"> }> {
  await sse.until('"type":"done"');
  await sse.until("\n\n");
  return { result: sse.frame("tool_result"), done: sse.frame("done") };
}
