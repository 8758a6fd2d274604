/** Questions that an MCP server asks the visitor while it executes a call. */
import { assertEquals } from "@std/assert";
import { askingMcp, impatientMcp } from "@/tests/support/asking_mcp.ts";
import { rawMcp } from "@/tests/support/raw_mcp.ts";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
import type { AskVisitor } from "../callable_tool.ts";

const SERVER = { type: "mcp", name: "shop", url: "https://tools.example.com/mcp" };
const EMPTY = { type: "object", properties: {} };
const YES_NO = { type: "object", properties: { agree: { type: "boolean" } }, required: ["agree"] };
const TEXT = { type: "object", properties: { password: { type: "string" } } };

const askingServer = (questions: readonly unknown[]) => new EgressServer(askingMcp(questions));

/** What the server got for its questions, and what the visitor was asked. */
async function answersTo(
  questions: readonly unknown[],
  askVisitor?: AskVisitor,
): Promise<{ answers: unknown; asked: string[]; capabilities: unknown }> {
  await using server = askingServer(questions);
  const asked: string[] = [];
  const toolset = toolsetOf(server, [SERVER], {
    askVisitor: askVisitor && ((message, signal) => {
      asked.push(message);
      return askVisitor(message, signal);
    }),
  });
  const output = await toolset.execute("ask", {}, noAbort()) as { content: string };
  await toolset.close();
  const [first] = server.seen.map(({ body }) => JSON.parse(body || "{}"));
  return { answers: JSON.parse(output.content), asked, capabilities: first.params.capabilities };
}

const yes = () => Promise.resolve(true);
const no = () => Promise.resolve(false);

Deno.test("mcp questions: yes and no reach the server in the shape of its form", async () => {
  const [empty, form] = [EMPTY, YES_NO].map((requestedSchema) => ({
    message: "Order for 20 EUR?",
    requestedSchema,
  }));
  const agreed = await answersTo([form], yes);
  assertEquals(agreed, {
    answers: [{ action: "accept", content: { agree: true } }],
    asked: ["Order for 20 EUR?"],
    capabilities: { elicitation: {} },
  });
  assertEquals((await answersTo([empty], yes)).answers, [{ action: "accept", content: {} }]);
  assertEquals((await answersTo([form], no)).answers, [{ action: "decline" }]);
});

Deno.test("mcp questions: a form for text, a link and a second question are declined unseen", async () => {
  const ask = (more: object) => ({ message: "Your password?", ...more });
  for (
    const question of [
      ask({ requestedSchema: TEXT }),
      ask({ requestedSchema: { ...YES_NO, properties: { ...YES_NO.properties, b: {} } } }),
      ask({ mode: "url", url: "https://evil.example", elicitationId: "1" }),
      ask({ requestedSchema: EMPTY, message: "x".repeat(1_001) }),
      { message: 1 },
    ]
  ) {
    const { answers, asked } = await answersTo([question], yes);
    assertEquals([answers, asked], [[{ action: "decline" }], []]);
  }
  const again = ask({ requestedSchema: YES_NO });
  const { answers, asked } = await answersTo([again, again], no);
  assertEquals([answers, asked.length], [[{ action: "decline" }, { action: "decline" }], 1]);
});

Deno.test("mcp questions: markup stays text in one paragraph, and nothing in it is invisible", async () => {
  const message = `<b onclick="x">Pay</b> \u202e001\u200b EUR?${"\n".repeat(900)}\x1b[2J`;
  const { asked } = await answersTo([{ message, requestedSchema: EMPTY }], no);
  assertEquals(asked, ['<b onclick="x">Pay</b> \ufffd001\ufffd EUR? [2J']);
});

Deno.test("mcp questions: without a way to ask, nothing is declared and a question is an error", async () => {
  const { answers, capabilities } = await answersTo([{ message: "?", requestedSchema: EMPTY }]);
  assertEquals([answers, capabilities], [[{ rejected: -32601 }], {}]);
});

Deno.test("mcp questions: a stopped run does not leave its question open", async () => {
  await using server = askingServer([{ message: "Sure?", requestedSchema: EMPTY }]);
  const stop = new AbortController();
  let wasAborted = false;
  const toolset = toolsetOf(server, [SERVER], {
    askVisitor: (_message, signal) => {
      const { promise, reject } = Promise.withResolvers<boolean>();
      signal.addEventListener("abort", () => {
        wasAborted = true;
        reject(signal.reason);
      }, { once: true });
      stop.abort();
      return promise;
    },
  });
  const output = await toolset.execute("ask", {}, { signal: stop.signal });
  assertEquals(output, { error: { code: "tool_timeout", message: "the call was stopped" } });
  assertEquals(wasAborted, true);
  await toolset.close();
  await server.abandon();
});

Deno.test("mcp questions: the server's 30 s stop while the visitor thinks, and start again", async () => {
  const runtime = new FakeRuntime();
  await using server = askingServer([{ message: "Sure?", requestedSchema: EMPTY }]);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const toolset = toolsetOf(server, [SERVER], {
    runtime,
    askVisitor: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  const running = toolset.execute("ask", {}, noAbort());
  await asked.promise;
  await runtime.advance(59_000);
  answer.resolve(true);
  const content = JSON.stringify([{ action: "accept", content: {} }]);
  assertEquals(await running, { content });
  await toolset.close();

  const called = Promise.withResolvers<void>();
  await using silent = new EgressServer(rawMcp(({ rpc }) => {
    if (rpc !== "tools/call") return undefined;
    called.resolve();
    return new Promise<Response>(() => {});
  }));
  const other = toolsetOf(silent, [SERVER], { runtime, askVisitor: no });
  const hanging = other.execute("ask", {}, noAbort());
  await called.promise;
  await runtime.advance(30_000);
  const message = "there was no result within 30000 ms";
  assertEquals(await hanging, { error: { code: "tool_timeout", message } });
  await other.close();
  await silent.abandon();
});

Deno.test("mcp questions: a server that does not wait for the answer leaves no question open", async () => {
  const asked = Promise.withResolvers<void>();
  const params = { message: "Sure?", requestedSchema: EMPTY };
  await using server = new EgressServer(impatientMcp(params, asked.promise));
  let isOpen: boolean | undefined;
  const toolset = toolsetOf(server, [SERVER], {
    askVisitor: async (_message, signal) => {
      isOpen = true;
      const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
      asked.resolve();
      await ended;
      // The question's result is reported, and the call's after it.
      await flushMicrotasks();
      isOpen = false;
      throw signal.reason;
    },
  });
  assertEquals(await toolset.execute("ask", {}, noAbort()), { content: "done" });
  assertEquals(isOpen, false);
  await toolset.close();
});
