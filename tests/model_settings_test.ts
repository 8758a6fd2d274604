/** An agent's model settings: over the API, and in what its provider is asked. */
import { assertEquals } from "@std/assert";
import { expectInvalid } from "./support/expect_response.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";

const SETTINGS = { reasoningEffort: "low", topP: 0.9, stopSequences: ["END"] };
const SCHEMA = {
  type: "object",
  properties: { open: { type: "boolean" }, note: { type: "string" } },
  required: ["open", "note"],
  additionalProperties: false,
};
const DEMO = { provider: "vendor_a", model: "demo" };

async function start() {
  const service = await TestService.start(instantRuntime());
  const key = await service.key(["agents:write"]);
  const patch = async (id: string, json: unknown) => {
    const response = await service.fetch(`/v1/agents/${id}`, { method: "PATCH", key, json });
    return await response.json();
  };
  return { service, key, patch };
}

Deno.test("PATCH /v1/agents/:id: settings are merged one by one, and null clears one", async () => {
  const { service, key, patch } = await start();
  await using _ = service;
  const { id } = await service.agent(key, {
    modelPolicy: { ...DEMO, ...SETTINGS },
    responseSchema: SCHEMA,
  });
  const merged = await patch(id, { modelPolicy: { topP: 0.5 } });
  assertEquals(merged.modelPolicy, { ...DEMO, ...SETTINGS, topP: 0.5 });
  assertEquals(merged.responseSchema, SCHEMA);
  const cleared = await patch(id, {
    modelPolicy: { reasoningEffort: null, topP: null, stopSequences: null },
    responseSchema: null,
  });
  assertEquals(cleared.modelPolicy, DEMO);
  assertEquals("responseSchema" in cleared, false);
});

Deno.test("POST /v1/agents: settings out of bounds are rejected where they are", async () => {
  const { service, key } = await start();
  await using _ = service;
  const large = { type: "object", description: "x".repeat(16_384) };
  const cases: [Record<string, unknown>, string][] = [
    [{ modelPolicy: { ...DEMO, reasoningEffort: "most" } }, "modelPolicy.reasoningEffort"],
    [{ modelPolicy: { ...DEMO, topP: 1.01 } }, "modelPolicy.topP"],
    [{ modelPolicy: { ...DEMO, stopSequences: [] } }, "modelPolicy.stopSequences"],
    [{ modelPolicy: { ...DEMO, stopSequences: Array(5).fill("x") } }, "modelPolicy.stopSequences"],
    [{ modelPolicy: { ...DEMO, stopSequences: ["x".repeat(65)] } }, "modelPolicy.stopSequences.0"],
    [{ modelPolicy: { ...DEMO, stopSequences: [" \n"] } }, "modelPolicy.stopSequences.0"],
    [{ responseSchema: large }, "responseSchema"],
    [{ responseSchema: { type: "nothing" } }, "responseSchema.type"],
    [{ responseSchema: { pattern: "(?=a)" } }, "responseSchema.pattern"],
  ];
  for (const [change, path] of cases) {
    const response = await service.fetch("/v1/agents", {
      method: "POST",
      key,
      json: { ...agentBody(), ...change },
    });
    await expectInvalid(response, [path]);
  }
});

Deno.test("a run asks its provider with the agent's settings", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const modelPolicy = { provider: "vendor_a", model: "mid", ...SETTINGS };
  await readFrames(await on.send(await on.agent("vendor_a", { modelPolicy })));
  const { reasoning_effort, top_p, stop } = mock.requests[0]!.body;
  assertEquals({ reasoning_effort, top_p, stop }, {
    reasoning_effort: "low",
    top_p: 0.9,
    stop: ["END"],
  });
});

Deno.test("an answer under a schema is repaired once, and never shown before it is valid", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", { responseSchema: SCHEMA });
  const valid = '{"open":true,"note":"until six"}';
  mock.next({ say: [{ text: '{"open":' }, { text: '"yes"}' }] }, { say: [{ text: valid }] });
  const repaired = await readFrames(await on.send(agent));
  assertEquals(textOf(repaired), valid);
  mock.next({ say: [{ text: "Yes!" }] }, { say: [{ text: "Yes, we are." }] });
  const failed = (await readFrames(await on.send(agent))).map(({ frame }) => frame);
  assertEquals(failed.map(({ type }) => type), ["start", "usage", "error", "done"]);
  const error = failed.find(({ type }) => type === "error");
  assertEquals(error?.type === "error" && error.code, "provider_error");
  // Both answers are paid for.
  const usage = failed.find(({ type }) => type === "usage");
  assertEquals(usage?.type === "usage" && usage.outputTokens, 30);
});

Deno.test("the keys of a connection are tried in turn, and none is in a log", async () => {
  await using mock = await MockProviders.start({
    otherwise: ({ headers }) =>
      headers.authorization === "Bearer good-key" ? {} : { status: 401, body: "{}" },
  });
  const keys = '["bad-key-1","bad-key-2",{"key":"good-key","weight":1}]';
  await using on = await ProviderService.start(mock, { env: { VENDOR_A_API_KEY: keys } });
  for (let n = 0; n < 4; n++) {
    assertEquals(textOf(await readFrames(await on.ask("vendor_a"))), "Hello there.");
  }
  // Each bad key is tried at most once, then it rests.
  const bad = mock.requests.filter(({ headers }) => headers.authorization !== "Bearer good-key");
  assertEquals(bad.length <= 2, true);
  assertEquals(/(?:bad|good)-key/.test(JSON.stringify(on.service.logged)), false);
});

Deno.test("the demo model reasons, stops and answers JSON, as its agent is set", async () => {
  const { service, key } = await start();
  await using _ = service;
  const ask = async (change: Record<string, unknown>) => {
    const { id } = await service.agent(key, change);
    const messages = [{ role: "user", content: "Hello" }];
    const json = { agentId: id, messages };
    return await readFrames(await service.fetch("/v1/chat/stream", { method: "POST", key, json }));
  };
  const stopped = await ask({ modelPolicy: { ...DEMO, stopSequences: ["I come with"] } });
  assertEquals(textOf(stopped), "Hello! I am the demo model: ");
  const structured = JSON.parse(textOf(await ask({ responseSchema: SCHEMA })));
  assertEquals([structured.open, Object.keys(structured)], [true, ["open", "note"]]);
  const plain = await ask({});
  const reasoned = await ask({ modelPolicy: { ...DEMO, reasoningEffort: "high" } });
  assertEquals(textOf(reasoned), textOf(plain));
});
