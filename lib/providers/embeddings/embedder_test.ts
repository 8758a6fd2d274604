import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { ProviderFailure } from "../provider_failure.ts";
import { ModelError } from "../model.ts";
import { ModelRegistry } from "../model_registry.ts";
import { embeddingsResponse } from "@/tests/support/mock_providers/embeddings.ts";
import { MockProviders } from "@/tests/support/mock_providers/mock_providers.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { KEYS } from "@/tests/support/provider_connections.ts";

const signal = new AbortController().signal;
const passages = { purpose: "passage", signal } as const;
const OPENAI = { protocol: "openai", model: "emb" } as const;
const GOOGLE = { protocol: "google", model: "emb" } as const;
const VECTORS = [[1, 0.5], [0, -1]];

/** A registry with one embedding model; delays before a retry end immediately. */
function embedderOf(mock: MockProviders, protocol: "openai" | "google" = "openai") {
  const reports: ProviderFailure[] = [];
  const clock = new FakeRuntime();
  // Timeouts never fire, delays before a retry end immediately.
  const sleep = (ms: number, of?: AbortSignal) =>
    of === signal ? Promise.resolve() : clock.sleep(ms, of);
  const runtime = { now: clock.now, uuid: clock.uuid, randomBytes: clock.randomBytes, sleep };
  const slot = { protocol, baseUrl: mock.url, apiKey: KEYS[protocol], embeddingModel: "emb" };
  const registry = new ModelRegistry(runtime, {
    providers: { vendor_b: slot },
    onFailure: (event) => reports.push(event),
  });
  const close = { [Symbol.dispose]: () => registry.close() };
  return { embedder: registry.embedder!, reports, ...close };
}

Deno.test("Embedder: sends OpenAI's request and returns the vectors in the order of the texts", async () => {
  await using mock = await MockProviders.start();
  using slot = embedderOf(mock);
  const { body } = embeddingsResponse(OPENAI, { vectors: VECTORS, tokens: 7 });
  const { data, ...rest } = JSON.parse(String(body));
  const answer = JSON.stringify({ ...rest, data: data.reverse() });
  mock.next({ headers: { "content-type": "application/json" }, body: answer });
  const got = await slot.embedder.embed(["a", "b\ud800"], passages);
  assertEquals(got, { vectors: VECTORS, inputTokens: 7 });
  const [request] = mock.requests;
  assertEquals(request!.path, "/some/prefix/v1/embeddings");
  assertEquals(request!.headers.authorization, `Bearer ${KEYS.openai}`);
  assertEquals(request!.headers.accept, "application/json");
  assertEquals(request!.body, { model: "emb", input: ["a", "b\ufffd"], encoding_format: "float" });
});

Deno.test("Embedder: sends Google's request with the purpose", async () => {
  await using mock = await MockProviders.start();
  using slot = embedderOf(mock, "google");
  mock.next(embeddingsResponse(GOOGLE, { vectors: [[1, 2]] }));
  const got = await slot.embedder.embed(["a"], { purpose: "query", signal });
  assertEquals(got, { vectors: [[1, 2]], inputTokens: undefined });
  const [request] = mock.requests;
  assertEquals(request!.path, "/some/prefix/v1/models/emb:batchEmbedContents");
  assertEquals(request!.headers["x-goog-api-key"], KEYS.google);
  assertEquals(request!.body.requests, [{
    model: "models/emb",
    content: { parts: [{ text: "a" }] },
    taskType: "RETRIEVAL_QUERY",
  }]);
});

Deno.test("Embedder: retries temporary failures and reports each without the API key", async () => {
  await using mock = await MockProviders.start();
  using slot = embedderOf(mock);
  mock.next({ status: 503, body: `busy, ${KEYS.openai}` });
  mock.next(embeddingsResponse(OPENAI, { vectors: VECTORS }));
  assertEquals((await slot.embedder.embed(["a", "b"], passages)).vectors, VECTORS);
  assertEquals(slot.reports.map(({ status, words }) => [status, words]), [[503, "busy, [secret]"]]);
});

Deno.test("Embedder: a permanent failure is a ModelError", async () => {
  await using mock = await MockProviders.start();
  using slot = embedderOf(mock);
  mock.next({ status: 404, body: "no such model" });
  const error = await assertRejects(() => slot.embedder.embed(["a"], passages), ModelError);
  assertEquals([error.code, mock.requests.length], ["provider_error", 1]);
  assertStringIncludes(error.message, "404");
});

const WRONG: Record<string, string> = {
  "no JSON": "<html>",
  "another shape": '{"data": "none"}',
  "too few vectors": JSON.stringify({ data: [{ index: 0, embedding: [1] }] }),
  "vectors of several lengths": JSON.stringify({
    data: [{ index: 0, embedding: [1] }, { index: 1, embedding: [1, 2] }],
  }),
  "empty vectors": JSON.stringify({
    data: [{ index: 0, embedding: [] }, { index: 1, embedding: [] }],
  }),
};

for (const [what, body] of Object.entries(WRONG)) {
  Deno.test(`Embedder: ${what} is an error`, async () => {
    await using mock = await MockProviders.start();
    using slot = embedderOf(mock);
    mock.next({ headers: { "content-type": "application/json" }, body });
    const error = await assertRejects(() => slot.embedder.embed(["a", "b"], passages), ModelError);
    assertEquals(error.message, "the model provider answered no embeddings");
  });
}

Deno.test("Embedder: an abort rejects with the signal's reason", async () => {
  await using mock = await MockProviders.start();
  using slot = embedderOf(mock);
  mock.next({ silent: true });
  const stop = new AbortController();
  const asked = slot.embedder.embed(["a"], { purpose: "query", signal: stop.signal });
  const { gone } = await mock.asked(1);
  stop.abort(new Error("stopped"));
  await assertRejects(() => asked, Error, "stopped");
  await gone;
});

Deno.test("ModelRegistry: has the embedder of the first connection with an embedding model", () => {
  const slot = { protocol: "openai", baseUrl: "http://127.0.0.1:9/v1", apiKey: "k" } as const;
  assertEquals(
    new ModelRegistry(new FakeRuntime(), { providers: { vendor_a: slot } }).embedder,
    undefined,
  );
  const registry = new ModelRegistry(new FakeRuntime(), {
    providers: {
      vendor_a: slot,
      vendor_b: { ...slot, embeddingModel: "one" },
      vendor_c: { ...slot, embeddingModel: "two" },
    },
  });
  assertEquals([registry.embedder?.provider, registry.embedder?.model], ["vendor_b", "one"]);
  registry.close();
});
