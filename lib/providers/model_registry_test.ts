/** Slots that are set up while the service runs. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { eventsOf } from "@/tests/support/model_events.ts";
import { MockProviders } from "@/tests/support/mock_providers/mock_providers.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { ModelError, type ModelRequest } from "./model.ts";
import { ModelRegistry } from "./model_registry.ts";
import { testConnection } from "./test_connection.ts";

const REQUEST: ModelRequest = {
  model: "mid",
  system: "Be brief.",
  messages: [{ role: "user", content: "Hello" }],
  tools: [],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
};

function slot(mock: MockProviders, apiKey = "first") {
  return { protocol: "openai", baseUrl: mock.url, apiKey } as const;
}

Deno.test("ModelRegistry: a connection works once configured and rejects requests once removed", async () => {
  await using mock = await MockProviders.start();
  const registry = new ModelRegistry(systemRuntime);
  const ask = () => registry.find("vendor_a", "mid").stream(REQUEST).then(eventsOf);
  await assertRejects(ask, ModelError, "no provider is configured");
  registry.configure({ vendor_a: slot(mock) });
  assertEquals((await ask()).at(-1), { type: "end", reason: "stop" });
  assert(registry.health.get("vendor_a").lastSuccessAt !== undefined);
  const client = registry.find("vendor_a", "mid");
  registry.configure({ vendor_a: slot(mock) });
  assertEquals(
    registry.find("vendor_a", "mid"),
    client,
    "an unchanged connection keeps its client",
  );
  registry.configure({});
  await assertRejects(ask, ModelError, "no provider is configured");
  registry.close();
});

Deno.test("ModelRegistry: the environment's connection cannot be replaced", async () => {
  await using mock = await MockProviders.start();
  const registry = new ModelRegistry(systemRuntime, {
    providers: { vendor_a: slot(mock, "fixed") },
  });
  registry.configure({ vendor_a: slot(mock, "stored") });
  await eventsOf(await registry.find("vendor_a", "mid").stream(REQUEST));
  assertEquals(mock.requests[0]!.headers.authorization, "Bearer fixed");
  registry.close();
});

Deno.test("ModelRegistry: a response continues when its connection is replaced", async () => {
  await using mock = await MockProviders.start();
  const registry = new ModelRegistry(systemRuntime);
  registry.configure({ vendor_a: slot(mock) });
  const go = Promise.withResolvers<void>();
  mock.next({ say: [{ text: "one " }, { wait: go.promise }, { text: "two" }] });
  const stream = await registry.find("vendor_a", "mid").stream(REQUEST);
  registry.configure({ vendor_a: slot(mock, "second") });
  go.resolve();
  const heard = await eventsOf(stream);
  const text = heard.map((event) => event.type === "text" ? event.text : "").join("");
  assertEquals(text, "one two");
  registry.close();
});

Deno.test("testConnection: a response is a success, an error has a status but no text of the provider", async () => {
  await using mock = await MockProviders.start();
  const reports: unknown[] = [];
  const report = (event: unknown) => void reports.push(event);
  const ask = () =>
    testConnection({ provider: "vendor_a", config: slot(mock), model: "mid" }, {
      runtime: systemRuntime,
      report,
    });
  assertEquals(await ask(), undefined);
  mock.next({ status: 401, body: '{"error":{"message":"their own words"}}' });
  const fault = await ask();
  assertEquals(fault?.status, 401);
  assert(!fault!.message.includes("their own words"));
  assertEquals(reports.length, 1);
});
