/** Several API keys of a connection: which one a conversation uses, and what happens to bad ones. */
import { assert, assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import { parseApiKeys } from "../schemas/api_keys.ts";
import { KeyRing } from "./key_ring.ts";
import type { ModelUsage } from "./model.ts";
import { ProviderError } from "./provider_error.ts";

const RATE_LIMITED = { status: 429, body: `{"error":{"message":"slow down, key-one"}}` };
const REJECTED = { status: 401, body: `{"error":{"message":"Incorrect API key: key-one"}}` };

function start(apiKey = "key-one,key-two"): Promise<ProviderConnections> {
  return ProviderConnections.start({ apiKey });
}

function usedKeys({ mock }: ProviderConnections): string[] {
  return mock.requests.map(({ headers }) =>
    headers["x-api-key"] ?? headers["x-goog-api-key"] ??
      (headers.authorization ?? "").replace("Bearer ", "")
  );
}

/** A conversation that prefers the first of two keys. */
function preferringFirst(): string {
  const ring = new KeyRing("key-one,key-two", () => 0);
  const ids = Array.from({ length: 50 }, (_, n) => `conversation ${n}`);
  return ids.find((id) => ring.choose(id)?.number === 1)!;
}

for (const [kind, rejection] of [["limited", RATE_LIMITED], ["rejected", REJECTED]] as const) {
  Deno.test(`a key that is ${kind} rests, and the next one answers at once`, async () => {
    await using providers = await start();
    const affinity = preferringFirst();
    const { text } = await providers.ask("openai", [rejection, {}], { affinity });
    assertEquals([text, providers.pauses], ["Hello there.", []]);
    await providers.ask("openai", {}, { affinity });
    assertEquals(usedKeys(providers), ["key-one", "key-two", "key-two"]);
    await providers.clock.advance(10 * 60_000);
    await providers.ask("openai", {}, { affinity });
    assertEquals(usedKeys(providers).at(-1), "key-one");
  });
}

const EMPTY_ACCOUNT = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "Your credit balance is too low to access the Anthropic API.",
  },
};
const INVALID_KEY = {
  error: {
    ...{ code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT" },
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
  },
};
for (
  const [kind, protocol, status, error] of [
    ["anthropic: a key of an empty account", "anthropic", 400, EMPTY_ACCOUNT],
    ["google: a key that is not valid", "google", 400, INVALID_KEY],
    ["openai: a gateway's key without credits", "openai", 402, { error: { code: 402 } }],
  ] as const
) {
  Deno.test(`${kind} rests for ten minutes`, async () => {
    await using providers = await start();
    const rejection = { status, body: JSON.stringify(error) };
    const affinity = preferringFirst();
    const { text } = await providers.ask(protocol, [rejection, {}], { affinity });
    await providers.clock.advance(10 * 60_000 - 1);
    await providers.ask(protocol, {}, { affinity });
    assertEquals([text, usedKeys(providers)], ["Hello there.", ["key-one", "key-two", "key-two"]]);
  });
}

Deno.test("an error response that quotes a visitor rejects no key", async () => {
  await using providers = await start();
  const message = `Cannot answer {"message": "Your credit balance is too low"}`;
  const quoting = { status: 400, body: JSON.stringify({ error: { message } }) };
  await providers.ask("anthropic", quoting);
  assertEquals(providers.mock.requests.length, 1);
});

Deno.test("a limit that is reported after usage gets no other key without a new reservation", async () => {
  await using providers = await start();
  const limited: Script = { say: [{ error: "rate_limit" }], end: "none" };
  const spent: number[] = [];
  const change = {
    affinity: preferringFirst(),
    onUsage: ({ inputTokens }: ModelUsage) => spent.push(inputTokens),
  };
  const denied = { ...change, authorizeRetry: () => Promise.resolve(0) };
  const { error } = await providers.ask("anthropic", [limited, {}], denied);
  assertEquals([error.code, spent, usedKeys(providers)], [
    "provider_rate_limited",
    [25],
    ["key-one"],
  ]);
  const granted = { ...change, authorizeRetry: () => Promise.resolve(100) };
  assertEquals((await providers.ask("anthropic", {}, granted)).text, "Hello there.");
  assertEquals(usedKeys(providers), ["key-one", "key-two"]);
});

Deno.test("a report names the number of a key, never a key", async () => {
  await using providers = await start();
  await providers.ask("openai", [REJECTED, {}], { affinity: preferringFirst() });
  const [report] = providers.reports;
  assertEquals([report?.key, report?.status, report?.attempt], [1, 401, 1]);
  assert(!JSON.stringify(providers.reports).includes("key-one"));
});

Deno.test("the last key's failure names its number too", async () => {
  await using providers = await start();
  await providers.ask("openai", [REJECTED, REJECTED], { affinity: preferringFirst() });
  assertEquals(providers.reports.map(({ key }) => key), [1, 2]);
});

Deno.test("if every key is limited, the request waits and is repeated as with one key", async () => {
  await using providers = await start();
  const { text } = await providers.ask("openai", [RATE_LIMITED, RATE_LIMITED, {}], {
    affinity: preferringFirst(),
  });
  assertEquals([text, providers.pauses.length], ["Hello there.", 1]);
  assertEquals(usedKeys(providers), ["key-one", "key-two", "key-one"]);
});

Deno.test("other errors are not the key's, and another key is not tried", async () => {
  await using providers = await start();
  const { error } = await providers.ask("openai", { status: 400, body: "{}" });
  assertEquals([error.code, providers.mock.requests.length], ["provider_error", 1]);
});

Deno.test("a connection's only key never rests", async () => {
  await using providers = await start("key-one");
  await providers.ask("openai", REJECTED);
  assertEquals((await providers.ask("openai", {})).text, "Hello there.");
});

Deno.test("conversations are divided by the weights and stay with their key", () => {
  const ring = new KeyRing('["a",{"key":"b","weight":3}]', () => 0);
  const ids = Array.from({ length: 4_000 }, (_, n) => `conversation ${n}`);
  const first = ids.filter((id) => ring.choose(id)?.key === "a").length;
  assert(
    first > 850 && first < 1_150,
    `${first} of 4,000 prefer a key with a quarter of the weight`,
  );
  assertEquals(ids.map((id) => ring.choose(id)?.key), ids.map((id) => ring.choose(id)?.key));
});

Deno.test("KeyRing: a provider's time is kept, but for ten minutes at most", async () => {
  const clock = new FakeRuntime();
  const ring = new KeyRing("a,b", () => clock.now());
  const affinity = ["x", "y", "z", "w"].find((id) => ring.choose(id)?.key === "a")!;
  const chosen = () => ring.choose(affinity)?.key;
  const limit = (retryAfterMs: number) =>
    ring.rest(
      ring.choose(affinity)!,
      new ProviderError("provider_rate_limited", "", {
        ...{ retry: "later", status: 429, retryAfterMs },
      }),
    );
  limit(5_000);
  assertEquals(chosen(), "b");
  assertEquals(ring.counts, { total: 2, usable: 1 });
  await clock.advance(5_000);
  assertEquals(chosen(), "a");
  limit(86_400_000);
  await clock.advance(10 * 60_000);
  assertEquals(chosen(), "a");
});

Deno.test("parseApiKeys: one key, a comma list, a JSON list with weights, or nothing", () => {
  assertEquals(parseApiKeys(""), [{ key: "", weight: 1 }]);
  assertEquals(parseApiKeys("sk-1"), [{ key: "sk-1", weight: 1 }]);
  assertEquals(parseApiKeys("sk-1, sk-2")?.map(({ key }) => key), ["sk-1", "sk-2"]);
  assertEquals(parseApiKeys('["a,b",{"key":"c","weight":2}]'), [
    { key: "a,b", weight: 1 },
    { key: "c", weight: 2 },
  ]);
  for (
    const text of ["a,,b", "[", "[]", "[1]", '[{"key":"a","weight":0}]', "a,".repeat(20) + "a"]
  ) {
    assertEquals(parseApiKeys(text), undefined, text);
  }
});

Deno.test("KeyRing: a stored text that is no list of keys is one key, as before there were lists", () => {
  for (const text of ["a,,b", "[a", '["a", 1]']) {
    assertEquals(new KeyRing(text, () => 0).secrets, [text]);
  }
});
