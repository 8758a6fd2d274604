/** Models without a temperature are learned only from an error response that names it. */
import { assertEquals } from "@std/assert";
import type { ProtocolName, Script } from "@/tests/support/mock_providers/script.ts";
import { PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";

function refusal(error: Record<string, unknown>, status = 400): Script {
  return { status, body: JSON.stringify({ error }) };
}

const DEFAULT_ONLY = refusal({
  message: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the " +
    "default (1) value is supported.",
  type: "invalid_request_error",
  param: "temperature",
  code: "unsupported_value",
});

const SAID: [ProtocolName, string, Script][] = [
  ["openai", "an unsupported value", DEFAULT_ONLY],
  [
    "openai",
    "an unsupported parameter",
    refusal({
      message: "Unsupported parameter: 'temperature' is not supported with this model.",
      param: "temperature",
      code: "unsupported_parameter",
    }),
  ],
  [
    "openai",
    "a gateway's quotation",
    refusal({ message: `{"error": {"message": "Unsupported parameter: temperature"}}` }),
  ],
  [
    "openai",
    "a field that is not permitted",
    { status: 422, body: `{"detail":[{"loc":["body","temperature"],"msg":"not permitted"}]}` },
  ],
  [
    "anthropic",
    "a deprecation",
    refusal({ message: "`temperature` is deprecated for this model." }),
  ],
  [
    "anthropic",
    "a thinking model's only value",
    refusal({ message: "`temperature` may only be set to 1 when thinking is enabled." }),
  ],
  [
    "google",
    "an unknown name",
    refusal({ message: `Unknown name "temperature" at 'generation_config': Cannot find field.` }),
  ],
  [
    "google",
    "a parameter that is not supported",
    refusal({ message: "gemini-9 does not support the temperature parameter." }),
  ],
];

for (const [protocol, kind, script] of SAID) {
  Deno.test(`${protocol}: a temperature rejected as ${kind} is omitted from then on`, async () => {
    await using vendors = await ProviderConnections.start();
    const first = await vendors.ask(protocol, [script, {}], { temperature: 0.2 });
    assertEquals([first.text, vendors.pauses, vendors.reports], ["Hello there.", [], []]);
    await vendors.ask(protocol, {}, { temperature: 0.9 });
    await vendors.ask(protocol, {}, { temperature: 0.9, model: "another" });
    assertEquals(temperatures(vendors), [0.2, undefined, undefined, 0.9]);
  });
}

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: an error response that does not name the temperature is final`, async () => {
    await using vendors = await ProviderConnections.start();
    const others = [
      refusal({ message: "The prompt is too long." }),
      refusal({ message: "Invalid value: the temperature was quoted", param: "messages[0]" }),
      refusal({ message: "`temperature` is deprecated for this model." }, 403),
    ];
    for (const other of others) {
      const { error } = await vendors.ask(protocol, other, { temperature: 0.2 });
      assertEquals(error.code, "provider_error");
    }
    assertEquals(temperatures(vendors), [0.2, 0.2, 0.2]);
  });

  Deno.test(`${protocol}: nothing is omitted twice, and a change that did not help is not remembered`, async () => {
    await using vendors = await ProviderConnections.start();
    const misleading = [DEFAULT_ONLY, DEFAULT_ONLY];
    const { error } = await vendors.ask(protocol, misleading, { temperature: 0.2 });
    assertEquals(error.code, "provider_error");
    await vendors.ask(protocol, {}, { temperature: 0.2 });
    await vendors.ask(protocol, DEFAULT_ONLY);
    assertEquals(temperatures(vendors), [0.2, undefined, 0.2, undefined]);
  });

  Deno.test(`${protocol}: a value out of range is omitted once only`, async () => {
    await using vendors = await ProviderConnections.start();
    const outside = refusal({ message: "temperature must be in the range of 0 to 0.5" });
    const { text } = await vendors.ask(protocol, [outside, {}], { temperature: 0.9 });
    assertEquals(text, "Hello there.");
    await vendors.ask(protocol, {}, { temperature: 0.2 });
    assertEquals(temperatures(vendors), [0.9, undefined, 0.2]);
  });
}

Deno.test("openai: a server that rejects three fields gets four requests, then one each", async () => {
  await using vendors = await ProviderConnections.start();
  const minds = (message: string) => refusal({ message });
  const { text } = await vendors.ask("openai", [
    minds("Use 'max_completion_tokens' instead."),
    DEFAULT_ONLY,
    minds("Unknown field: stream_options."),
    {},
  ], { temperature: 0.2 });
  assertEquals(text, "Hello there.");
  await vendors.ask("openai", {}, { temperature: 0.2 });
  const { body } = vendors.mock.requests[4]!;
  assertEquals([body.temperature, body.stream_options, body.max_tokens], Array(3).fill(undefined));
  assertEquals(vendors.mock.requests.length, 5);
});

function temperatures(vendors: ProviderConnections): unknown[] {
  return vendors.mock.requests.map(({ body }) => (body.generationConfig ?? body).temperature);
}
