/** What each protocol sends, as the mock provider received it. */
import { assert, assertEquals } from "@std/assert";
import {
  KEYS,
  PROTOCOLS,
  ProviderConnections,
  user,
} from "@/tests/support/provider_connections.ts";
import type { ModelMessage, ModelTool } from "./model.ts";

const LOOK_UP: ModelTool = {
  name: "look_up",
  description: "Looks up.",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { q: { type: "string" } },
    required: ["q"],
    additionalProperties: false,
  },
};
const { $schema: _, ...SCHEMA } = LOOK_UP.parameters;

/** A conversation with two parallel calls in its last step. */
const CALLED: ModelMessage[] = [
  user("Compare a and b"),
  {
    role: "assistant",
    content: "Looking.",
    toolCalls: [
      { id: "t1", name: "look_up", args: '{"q":"a"}' },
      { id: "t2", name: "look_up", args: '{"q":' },
    ],
  },
  { role: "tool", callId: "t1", name: "look_up", output: { found: 1 } },
  { role: "tool", callId: "t2", name: "look_up", output: "nothing" },
];

Deno.test("openai: the request is a Chat Completions stream with usage", async () => {
  await using vendors = await ProviderConnections.start();
  await vendors.ask("openai", {}, { messages: CALLED, tools: [LOOK_UP], temperature: 3 });
  const [{ path, headers, body } = never()] = vendors.mock.requests;
  assertEquals(path, "/some/prefix/v1/chat/completions");
  assertEquals(headers.authorization, `Bearer ${KEYS.openai}`);
  assertEquals(headers.accept, "text/event-stream");
  assertEquals(body, {
    model: "m-1",
    messages: [
      { role: "system", content: "Be helpful." },
      { role: "user", content: "Compare a and b" },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: [
          { id: "t1", type: "function", function: { name: "look_up", arguments: '{"q":"a"}' } },
          { id: "t2", type: "function", function: { name: "look_up", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "t1", content: '{"found":1}' },
      { role: "tool", tool_call_id: "t2", content: "nothing" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1000,
    temperature: 2,
    tools: [{
      type: "function",
      function: { name: "look_up", description: "Looks up.", parameters: LOOK_UP.parameters },
    }],
  });
});

Deno.test("anthropic: the request is a Messages stream, results of one step in one turn", async () => {
  await using vendors = await ProviderConnections.start();
  await vendors.ask("anthropic", {}, { messages: CALLED, tools: [LOOK_UP], temperature: 1.7 });
  const [{ path, headers, body } = never()] = vendors.mock.requests;
  assertEquals(path, "/some/prefix/v1/messages");
  assertEquals([headers["x-api-key"], headers["anthropic-version"]], [
    KEYS.anthropic,
    "2023-06-01",
  ]);
  assertEquals(headers.authorization, undefined);
  assertEquals(body, {
    model: "m-1",
    system: "Be helpful.",
    messages: [
      { role: "user", content: [{ type: "text", text: "Compare a and b" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "t1", name: "look_up", input: { q: "a" } },
          { type: "tool_use", id: "t2", name: "look_up", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: '{"found":1}' },
          { type: "tool_result", tool_use_id: "t2", content: "nothing" },
        ],
      },
    ],
    max_tokens: 1000,
    stream: true,
    temperature: 1,
    tools: [{ name: "look_up", description: "Looks up.", input_schema: LOOK_UP.parameters }],
  });
});

Deno.test("google: the request is streamGenerateContent, its schemas as JSON Schema", async () => {
  await using vendors = await ProviderConnections.start();
  await vendors.ask("google", {}, { messages: CALLED, tools: [LOOK_UP], temperature: -1 });
  const [{ path, headers, body } = never()] = vendors.mock.requests;
  assertEquals(path, "/some/prefix/v1/models/m-1:streamGenerateContent?alt=sse");
  assertEquals(headers["x-goog-api-key"], KEYS.google);
  assertEquals(body, {
    systemInstruction: { parts: [{ text: "Be helpful." }] },
    contents: [
      { role: "user", parts: [{ text: "Compare a and b" }] },
      {
        role: "model",
        parts: [
          { text: "Looking." },
          { functionCall: { id: "t1", name: "look_up", args: { q: "a" } } },
          { functionCall: { id: "t2", name: "look_up", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "t1", name: "look_up", response: { found: 1 } } },
          { functionResponse: { id: "t2", name: "look_up", response: { output: "nothing" } } },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 1000, temperature: 0 },
    tools: [{
      functionDeclarations: [{
        name: "look_up",
        description: "Looks up.",
        parametersJsonSchema: SCHEMA,
      }],
    }],
  });
});

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: absent options are not sent`, async () => {
    await using vendors = await ProviderConnections.start();
    await vendors.ask(protocol);
    const { body } = vendors.mock.requests[0]!;
    assertEquals([body.temperature, body.generationConfig?.temperature], [undefined, undefined]);
    assertEquals(body.tools, undefined);
  });

  Deno.test(`${protocol}: a base URL may have a path prefix`, async () => {
    const baseUrl = (port: number) => `http://127.0.0.1:${port}`;
    await using vendors = await ProviderConnections.start({ baseUrl });
    assertEquals((await vendors.ask(protocol)).error, undefined);
    assert(/^\/(chat|messages|models)\b/.test(vendors.mock.requests[0]!.path));
  });

  Deno.test(`${protocol}: a step's calls go back with the next request`, async () => {
    await using vendors = await ProviderConnections.start();
    const calls = [
      { id: undefined, name: "look_up", args: ['{"q":"x"}'], signature: "c2lnbmF0dXJl" },
      { id: undefined, name: "look_up", args: ['{"q":"y"}'] },
    ];
    const { events } = await vendors.ask(protocol, { say: [{ calls }] });
    const toolCalls = events.flatMap((event) => event.type === "tool_call" ? [event.call] : []);
    const results = toolCalls.map(({ id, name }): ModelMessage => (
      { role: "tool", callId: id, name, output: null }
    ));
    const asked: ModelMessage = { role: "assistant", content: "", toolCalls };
    await vendors.ask(protocol, {}, { messages: [user("Hi"), asked, ...results] });
    assertEquals(
      callsSent[protocol](vendors.mock.requests[1]!.body),
      {
        google: [
          [{ name: "look_up", args: { q: "x" } }, "c2lnbmF0dXJl"],
          [{ name: "look_up", args: { q: "y" } }, undefined],
          { name: "look_up", response: { output: null } },
          { name: "look_up", response: { output: null } },
        ],
        openai: [null, "own_1_1", "own_1_2", "own_1_1", "own_1_2"],
        anthropic: ["own_1_1", "own_1_2", "own_1_1", "own_1_2"],
      }[protocol],
    );
  });
}

/** The calls and results of a conversation with one step, as each protocol holds them. */
// deno-lint-ignore no-explicit-any -- a body as it was sent
const callsSent: Record<typeof PROTOCOLS[number], (body: any) => unknown[]> = {
  openai: ({ messages: [, , said, ...results] }) => [
    said.content,
    ...said.tool_calls.map((call: { id: string }) => call.id),
    ...results.map((result: { tool_call_id: string }) => result.tool_call_id),
  ],
  anthropic: ({ messages: [, said, results] }) => [
    ...said.content.map((block: { id: string }) => block.id),
    ...results.content.map((block: { tool_use_id: string }) => block.tool_use_id),
  ],
  google: ({ contents: [, said, results] }) => [
    ...said.parts.map((
      part: Record<string, unknown>,
    ) => [part.functionCall, part.thoughtSignature]),
    ...results.parts.map((part: Record<string, unknown>) => part.functionResponse),
  ],
};

for (const protocol of ["anthropic", "google"] as const) {
  Deno.test(`${protocol}: turns alternate and begin with the user, whatever a client sends`, async () => {
    await using vendors = await ProviderConnections.start();
    const said = (content: string): ModelMessage => ({ role: "assistant", content });
    const messages = [said("Hello!"), said(""), user("a"), user("b"), said("c"), user("d")];
    await vendors.ask(protocol, {}, { messages });
    const { body } = vendors.mock.requests[0]!;
    const turns = (body.messages ?? body.contents) as { role: string; parts: unknown[] }[];
    assertEquals(turns.map(({ role }) => role === "user"), [true, false, true, false, true]);
    assert(JSON.stringify(turns[2]).includes("b"), "turns of one role are joined");
  });
}

for (const protocol of ["anthropic", "openai"] as const) {
  Deno.test(`${protocol}: call ids of another provider are normalized`, async () => {
    await using vendors = await ProviderConnections.start();
    const ids = ["functions.look up:0", "x".repeat(80)];
    const toolCalls = ids.map((id) => ({ id, name: "look_up", args: "{}" }));
    const results = ids.map((callId): ModelMessage => (
      { role: "tool", callId, name: "look_up", output: 1 }
    ));
    const messages = [user("Hi"), { role: "assistant", content: "", toolCalls }, ...results];
    await vendors.ask(protocol, {}, { messages: messages as ModelMessage[] });
    const sent = callsSent[protocol](vendors.mock.requests[0]!.body).filter((id) => id !== null);
    assertEquals(sent, ["call_1", "call_2", "call_1", "call_2"]);
  });
}

Deno.test("anthropic: blank text is replaced, because the API rejects it", async () => {
  await using vendors = await ProviderConnections.start();
  await vendors.ask("anthropic", {}, { messages: [user(" \n ")] });
  const { body } = vendors.mock.requests[0]!;
  assertEquals(body.messages[0].content, [{ type: "text", text: "(no text)" }]);
});

function never(): never {
  throw new Error("nothing was asked");
}
