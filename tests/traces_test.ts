/** Traces of a service with Deno's OpenTelemetry: one tree for each chat, and nothing private in them. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { HMAC_SECRET_OF_TRACES, TracedService } from "./support/traced_service.ts";
import { readFrames, textOf } from "./support/frames.ts";
import type { MockRequest } from "./support/mock_providers/mock_providers.ts";
import { drawTree, type SpanNode, spanTrees } from "./support/otlp_spans.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const QUESTION = "A question that nobody may read";
const ANSWER = "An answer that nobody may read";
const SEARCHED = "words-that-nobody-may-read";

/** Fails once, calls the tool, and answers; `gate` holds the answer back after its first words. */
function script(gate: Promise<unknown>) {
  let isFirst = true;
  return ({ body }: MockRequest) => {
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) return { status: 503, body: "{}" };
    if (body.messages.at(-1).role === "tool") {
      return { say: [{ text: ANSWER }, { wait: gate }, { text: "." }] };
    }
    const args = [JSON.stringify({ q: SEARCHED })];
    return { say: [{ calls: [{ id: "c1", name: "lookup", args }] }] };
  };
}

/** A chat with a failed attempt, a tool call, and a client that leaves and resumes. */
async function chat(traced: TracedService, gate: PromiseWithResolvers<void>): Promise<string> {
  const left = new AbortController();
  const response = await traced.fetch("/v1/chat/stream", {
    json: { agentId: traced.agentId, messages: [{ role: "user", content: QUESTION }] },
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
    signal: left.signal,
  });
  assertEquals(response.status, 200);
  const runId = response.headers.get("x-run-id")!;
  const reader = response.body!.getReader();
  for (let seen = ""; !seen.includes(ANSWER);) {
    const { value } = await reader.read();
    seen += new TextDecoder().decode(value);
  }
  left.abort();
  await reader.cancel().catch(() => {});
  const resumed = await traced.fetch(`/v1/chat/runs/${runId}/stream`, {});
  gate.resolve();
  const frames = await readFrames(resumed);
  assertEquals(textOf(frames), `${ANSWER}.`);
  return runId;
}

/** The spans of this name, from a tree. */
function named(name: string, { span, below }: SpanNode): SpanNode["span"][] {
  return [...span.name === name ? [span] : [], ...below.flatMap((node) => named(name, node))];
}

Deno.test("traces: a chat is one tree across a failed attempt, a tool call and a resume, without content, ids of tenants and visitors, or what a tool sends", async () => {
  const gate = Promise.withResolvers<void>();
  await using traced = await TracedService.start({ otherwise: script(gate.promise) });
  const runId = await chat(traced, gate);
  for (const path of ["/v1/visitors/alice@shop.example/limits?from=alice", "/v1/usage?x=alice"]) {
    await (await traced.fetch(path, {})).body?.cancel();
  }
  const { spans, bodies } = await traced.stop();
  const trees = spanTrees(spans, TRACE);
  assertEquals(
    trees.map((tree) => drawTree(tree)),
    [[
      "POST /v1/chat/stream",
      "  invoke_agent",
      "    admission",
      "    step",
      "      chat mid",
      "      chat mid",
      "      execute_tool lookup",
      "        GET",
      "    step",
      "      chat mid",
      "    follow",
      "    settlement",
    ].join("\n")],
  );
  const [tree] = trees as [SpanNode];
  assertEquals([tree.span.parentSpanId, tree.span.kind], [CALLER, 2]);
  const calls = named("chat mid", tree);
  const failed = calls.filter(({ status }) => status === 2);
  assertEquals(
    failed.map(({ attributes }) => attributes["http.response.status_code"]).map(Number),
    [
      503,
    ],
  );
  const usage = calls.filter(({ status }) => status !== 2).map(({ attributes, kind }) => [
    kind,
    attributes["gen_ai.operation.name"],
    attributes["gen_ai.provider.name"],
    Number(attributes["gen_ai.usage.input_tokens"]),
    Number(attributes["gen_ai.usage.output_tokens"]),
  ]);
  assertEquals(usage, [[3, "chat", "openai", 25, 15], [3, "chat", "openai", 25, 15]]);
  const [run] = named("invoke_agent", tree);
  assertEquals(run!.attributes["agent_chat.run.id"], runId);
  assertEquals(Number(run!.attributes["gen_ai.usage.input_tokens"]), 50);
  assertMatch(String(run!.attributes["agent_chat.tenant"]), /^[\w-]{11}$/);
  const [tool] = named("execute_tool lookup", tree);
  assertEquals(tool!.attributes["gen_ai.tool.name"], "lookup");
  // Each server that was called can continue the trace below the span of its call.
  const sent = traced.providerTraces.map((header) => header?.split("-").slice(1, 3).join());
  assertEquals(sent.sort(), calls.map(({ spanId }) => `${TRACE},${spanId}`).sort());
  const [get] = named("GET", tree);
  assertEquals(traced.toolTraces, [`00-${TRACE}-${get!.spanId}-01`]);
  assertEquals(traced.toolUrls, [`/items?q=${SEARCHED}`]);

  // The raw text, because a span may hold an attribute twice.
  const exported = bodies.join("\n");
  const hidden = [QUESTION, ANSWER, SEARCHED, traced.tenant, traced.key];
  for (const secret of [...hidden, HMAC_SECRET_OF_TRACES]) {
    assertEquals(exported.includes(secret), false, secret);
  }
  // Only Deno's own spans of incoming requests have whole addresses; docs/telemetry.md says so.
  const own = JSON.stringify(spans.filter(({ scope }) => scope !== "deno"));
  assertEquals(own.includes("alice"), false);
  const paths = spans.filter(({ scope }) => scope === "deno").map(({ name }) => name);
  assert(paths.includes("GET /v1/visitors/:id/limits"), paths.join());
});

Deno.test("traces: OTEL_CONTENT=on adds prompts, answers, and the input and output of tools", async () => {
  const gate = Promise.withResolvers<void>();
  await using traced = await TracedService.start({
    otherwise: script(gate.promise),
    env: { OTEL_CONTENT: "on" },
  });
  await chat(traced, gate);
  const { spans } = await traced.stop();
  const [tree] = spanTrees(spans, TRACE) as [SpanNode];
  const [, , last] = named("chat mid", tree).sort((a, b) =>
    String(a.attributes["gen_ai.input.messages"]).length -
    String(b.attributes["gen_ai.input.messages"]).length
  );
  const input = JSON.parse(String(last!.attributes["gen_ai.input.messages"]));
  assertEquals(input[0], { role: "user", parts: [{ type: "text", content: QUESTION }] });
  assertEquals(JSON.parse(String(last!.attributes["gen_ai.output.messages"])), [
    { role: "assistant", parts: [{ type: "text", content: `${ANSWER}.` }] },
  ]);
  const [tool] = named("execute_tool lookup", tree);
  assertEquals(tool!.attributes["gen_ai.tool.call.arguments"], `{"q":"${SEARCHED}"}`);
  assertMatch(String(tool!.attributes["gen_ai.tool.call.result"]), /"price":12/);
});

Deno.test("traces: OTEL_TRACES_SAMPLER=always_off exports nothing, and the chat works", async () => {
  const gate = Promise.withResolvers<void>();
  await using traced = await TracedService.start({
    otherwise: script(gate.promise),
    env: { OTEL_TRACES_SAMPLER: "always_off" },
  });
  await chat(traced, gate);
  const { spans } = await traced.stop();
  assertEquals(spans, []);
  assertEquals(traced.providerTraces.map((header) => header?.slice(-3)), ["-00", "-00", "-00"]);
});
