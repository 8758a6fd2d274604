/** Model settings in the form of each protocol, and what is sent to models that reject them. */
import { assertEquals } from "@std/assert";
import { PROTOCOLS, ProviderConnections, user } from "@/tests/support/provider_connections.ts";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import type { ModelRequest } from "./model.ts";

const CLOSED = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const OPEN = { type: "object", properties: { city: { type: "string" } } };
const TOOL = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };

function refusal(message: string, fields: Record<string, unknown> = {}): Script {
  return { status: 400, body: JSON.stringify({ error: { message, ...fields } }) };
}

/** The fields besides those that every request has. */
function settingsOf(body: Record<string, unknown>): Record<string, unknown> {
  const { model: _m, messages: _ms, stream: _s, stream_options: _so, system: _sy, ...rest } = body;
  const { contents: _c, systemInstruction: _si, generationConfig, ...fields } = rest;
  const { max_tokens: _x, tools: _t, ...own } = { ...fields, ...generationConfig as object };
  const { maxOutputTokens: _o, ...settings } = own as Record<string, unknown>;
  return settings;
}

async function sent(
  protocol: typeof PROTOCOLS[number],
  change: Partial<ModelRequest>,
  scripts: Script[] = [],
): Promise<Record<string, unknown>> {
  await using vendors = await ProviderConnections.start();
  const { error, text } = await vendors.ask(protocol, [...scripts, {}], change);
  assertEquals([error, text], [undefined, "Hello there."]);
  return settingsOf(vendors.mock.requests.at(-1)!.body);
}

Deno.test("every protocol gets top P and stop sequences under its own names", async () => {
  const change = { topP: 0.5, stopSequences: ["END", "\n\n\n."] };
  assertEquals(await sent("openai", change), { top_p: 0.5, stop: ["END", "\n\n\n."] });
  const stop_sequences = ["END", "\n\n\n."];
  assertEquals(await sent("anthropic", change), { top_p: 0.5, stop_sequences });
  assertEquals(await sent("google", change), { topP: 0.5, stopSequences: ["END", "\n\n\n."] });
});

Deno.test("anthropic: of temperature and top P, only the temperature is sent", async () => {
  assertEquals(await sent("anthropic", { temperature: 0.2, topP: 0.5 }), { temperature: 0.2 });
});

Deno.test("openai: a reasoning effort, and what models without minimal have instead", async () => {
  assertEquals(await sent("openai", { reasoningEffort: "high" }), { reasoning_effort: "high" });
  const unsupported = refusal("Unsupported value: 'reasoning_effort' does not support 'minimal'.", {
    param: "reasoning_effort",
  });
  const change = { reasoningEffort: "minimal" } as const;
  const after = (rejections: number) =>
    sent("openai", change, Array<Script>(rejections).fill(unsupported));
  assertEquals(await after(2), { reasoning_effort: "low" });
  assertEquals(await after(3), {});
});

Deno.test("openai: a model without minimal effort still gets the efforts of other agents", async () => {
  await using vendors = await ProviderConnections.start();
  const unsupported = refusal("Unsupported value: 'reasoning_effort' does not support 'minimal'.", {
    param: "reasoning_effort",
  });
  await vendors.ask("openai", [unsupported, {}], { reasoningEffort: "minimal" });
  for (const reasoningEffort of ["minimal", "high"] as const) {
    await vendors.ask("openai", {}, { reasoningEffort });
  }
  const efforts = vendors.mock.requests.map(({ body }) => body.reasoning_effort);
  assertEquals(efforts, ["minimal", "none", "none", "high"]);
});

Deno.test("anthropic: a budget within the output limit, then adaptive thinking, then none", async () => {
  const change = { reasoningEffort: "medium", temperature: 0.2, topP: 0.5 } as const;
  const rejected = refusal(
    `"thinking.type.enabled" is not supported for this model. Use adaptive.`,
  );
  const large = { ...change, maxOutputTokens: 8_000 };
  assertEquals(await sent("anthropic", large), {
    thinking: { type: "enabled", budget_tokens: 4_000 },
    top_p: 0.95,
  });
  assertEquals(await sent("anthropic", large, [rejected]), {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "medium" },
    top_p: 0.95,
  });
  assertEquals(await sent("anthropic", large, [rejected, rejected]), { temperature: 0.2 });
});

Deno.test("anthropic: thinking never takes the whole output limit", async () => {
  for (const maxOutputTokens of [1_024, 1_279]) {
    assertEquals(await sent("anthropic", { reasoningEffort: "high", maxOutputTokens }), {});
  }
  const { thinking } = await sent("anthropic", { reasoningEffort: "high", maxOutputTokens: 1_300 });
  assertEquals(thinking, { type: "enabled", budget_tokens: 1_040 });
});

Deno.test("anthropic: results of another model's calls are sent without thinking", async () => {
  const messages = [
    user("Hi"),
    {
      role: "assistant" as const,
      content: "",
      toolCalls: [{ id: "call_1", name: "look_up", args: "{}" }],
      fromOtherModel: true as const,
    },
    { role: "tool" as const, callId: "call_1", name: "look_up", output: {} },
  ];
  const change = {
    reasoningEffort: "low",
    maxOutputTokens: 8_000,
    messages,
    tools: [TOOL],
  } as const;
  assertEquals(await sent("anthropic", change), {});
});

Deno.test("anthropic: a turn that began with thinking keeps it to its end", async () => {
  const call = (id: string, providerMetadata?: unknown) => [
    {
      role: "assistant" as const,
      content: "",
      toolCalls: [{ id, name: "look_up", args: "{}" }],
      ...providerMetadata !== undefined && { providerMetadata },
    },
    { role: "tool" as const, callId: id, name: "look_up", output: {} },
  ];
  const block = { type: "thinking", thinking: "Look it up.", signature: "s" };
  const began = call("call_1", [{ block, textBefore: 0, callsBefore: 0 }]);
  const change = {
    ...{ reasoningEffort: "low", maxOutputTokens: 8_000, tools: [TOOL] } as const,
    messages: [user("Hi"), ...began, ...call("call_2")],
  };
  const { thinking } = await sent("anthropic", change);
  assertEquals(thinking, { type: "enabled", budget_tokens: 1_600 });
});

Deno.test("anthropic: adaptive thinking may begin in the middle of a turn", async () => {
  await using vendors = await ProviderConnections.start();
  const rejected = refusal(`"thinking.type.enabled" is not supported for this model.`);
  const change = { reasoningEffort: "low", maxOutputTokens: 8_000, tools: [TOOL] } as const;
  await vendors.ask("anthropic", [rejected, {}], change);
  const messages = [user("Hi"), {
    role: "assistant" as const,
    content: "",
    toolCalls: [{ id: "call_1", name: "look_up", args: "{}" }],
  }, { role: "tool" as const, callId: "call_1", name: "look_up", output: {} }];
  await vendors.ask("anthropic", {}, { ...change, messages });
  assertEquals(vendors.mock.requests.at(-1)!.body.thinking.type, "adaptive");
});

Deno.test("google: a level, or a budget for the models before", async () => {
  const change = { reasoningEffort: "low", maxOutputTokens: 5_000 } as const;
  assertEquals(await sent("google", { ...change, model: "gemini-3-flash" }), {
    thinkingConfig: { thinkingLevel: "low", includeThoughts: true },
  });
  const budget = { thinkingConfig: { thinkingBudget: 1_000, includeThoughts: true } };
  assertEquals(await sent("google", { ...change, model: "gemini-2.5-flash" }), budget);
  const minimal = { ...change, reasoningEffort: "minimal" } as const;
  assertEquals(await sent("google", { ...minimal, model: "gemini-2.5-flash" }), {
    thinkingConfig: { thinkingBudget: 0 },
  });
  const unknown = refusal('Unknown name "thinkingLevel": Cannot find field.');
  assertEquals(await sent("google", { ...change, model: "custom" }, [unknown]), budget);
});

Deno.test("openai: a schema is strict only if strict mode accepts it", async () => {
  const format = (schema: unknown, strict: boolean) => ({
    response_format: { type: "json_schema", json_schema: { name: "answer", strict, schema } },
  });
  assertEquals(await sent("openai", { responseSchema: CLOSED }), format(CLOSED, true));
  const withCity = (city: unknown) => ({ ...CLOSED, properties: { city } });
  const untyped = withCity({ enum: ["Oslo"] });
  const optional = withCity({ type: "string", default: "Oslo" });
  for (const responseSchema of [OPEN, untyped, optional]) {
    assertEquals(await sent("openai", { responseSchema }), format(responseSchema, false));
  }
});

Deno.test("anthropic, google: a schema is sent as the format of the answer", async () => {
  assertEquals(await sent("anthropic", { responseSchema: CLOSED }), {
    output_config: { format: { type: "json_schema", schema: CLOSED } },
  });
  assertEquals(await sent("google", { responseSchema: CLOSED }), {
    responseMimeType: "application/json",
    responseJsonSchema: CLOSED,
  });
});

Deno.test("a schema that a provider cannot follow is described in the prompt, and no other", async () => {
  await using vendors = await ProviderConnections.start();
  // The mock provider rejects open objects, as the real one does.
  const { text } = await vendors.ask("anthropic", {}, { responseSchema: OPEN });
  assertEquals(text, "Hello there.");
  const [first, second] = vendors.mock.requests.map(({ body }) => body);
  assertEquals(first.output_config.format.schema, OPEN);
  assertEquals([second.output_config, second.system.includes(JSON.stringify(OPEN))], [
    undefined,
    true,
  ]);
  await vendors.ask("anthropic", {}, { responseSchema: CLOSED });
  assertEquals(vendors.mock.requests.at(-1)!.body.output_config.format.schema, CLOSED);
  // The schema itself is remembered.
  await vendors.ask("anthropic", {}, { responseSchema: { ...OPEN } });
  assertEquals(vendors.mock.requests.length, 4);
  assertEquals(vendors.mock.requests.at(-1)!.body.output_config, undefined);
});

Deno.test("google: a model without JSON beside tools gets the schema in words from then on", async () => {
  await using vendors = await ProviderConnections.start();
  const change = { model: "gemini-2.5-flash", responseSchema: CLOSED };
  const withTools = { ...change, tools: [TOOL] };
  for (const one of [withTools, withTools, { ...change, responseSchema: OPEN }]) {
    assertEquals((await vendors.ask("google", {}, one)).error, undefined);
  }
  const json = "application/json";
  const configs = vendors.mock.requests.map(({ body }) => body.generationConfig.responseMimeType);
  // Another agent has no tools, and gets JSON.
  assertEquals(configs, [json, undefined, undefined, json]);
});

for (
  const [field, change, message] of [
    [
      "a choice of tools",
      { tools: [TOOL], toolChoice: "none" },
      "tool_choice: Input should be 'auto', 'required'",
    ],
    [
      "stop sequences",
      { stopSequences: ["END"] },
      "Unsupported parameter: 'stop' is not supported.",
    ],
    ["top P", { topP: 0.5 }, "`top_p` is deprecated for this model."],
  ] as const
) {
  Deno.test(`openai: a model without ${field} is asked without from then on`, async () => {
    await using vendors = await ProviderConnections.start();
    await vendors.ask("openai", [refusal(message), {}], change);
    await vendors.ask("openai", {}, change);
    const settings = vendors.mock.requests.map(({ body }) => Object.keys(settingsOf(body)).length);
    assertEquals(settings, [1, 0, 0]);
  });
}

Deno.test("openai: DeepSeek's words for a format that it does not have", async () => {
  const unavailable = refusal("This response_format type is unavailable now");
  assertEquals(await sent("openai", { responseSchema: CLOSED }, [unavailable]), {});
});

Deno.test("a field that a rejected schema only names is not left out from then on", async () => {
  await using vendors = await ProviderConnections.start();
  const quoting = refusal(
    "output_config.format.schema: properties `temperature`, `cache_control` and `thinking`: invalid",
  );
  const responseSchema = {
    ...CLOSED,
    properties: { temperature: {}, cache_control: {}, thinking: {} },
    required: [],
  };
  const hostile = { responseSchema, temperature: 0.2, cachesPrompt: true } as const;
  const answers = [quoting, quoting, quoting, {}];
  assertEquals((await vendors.ask("anthropic", answers, hostile)).error, undefined);
  assertEquals(vendors.mock.requests.length, 4);
  await vendors.ask("anthropic", {}, { temperature: 0.2, responseSchema: CLOSED });
  assertEquals(settingsOf(vendors.mock.requests.at(-1)!.body), {
    temperature: 0.2,
    output_config: { format: { type: "json_schema", schema: CLOSED } },
  });
});
