/** What a vendor may bill for an attempt that came to nothing, over real sockets. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import { PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { ModelRequest, ModelUsage } from "./model.ts";

/** Notes what is billed; another attempt may write `left` tokens. */
function bills(left = 500) {
  const billed: ModelUsage[] = [];
  const change: Partial<ModelRequest> = {
    maxInputTokens: 1_000,
    onUsage: (usage) => billed.push(usage),
    authorizeRetry: () => Promise.resolve(left),
  };
  return { billed, change };
}

/** The input estimated upward, and no output, as nobody has seen any. */
function assertInputBilled(billed: readonly ModelUsage[], times: number): void {
  assertEquals(billed.length, times);
  for (const { inputTokens, outputTokens, estimated } of billed) {
    assert(inputTokens > 30 && inputTokens <= 1_000, `${inputTokens}`);
    assertEquals([outputTokens, estimated], [0, true]);
  }
}

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: a vendor that has the request and is hung up on may bill its input`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol, change));
    await vendors.mock.asked(1);
    vendors.stop.abort();
    await pending;
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: so may one that falls silent`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol, change));
    await vendors.mock.asked(1);
    await vendors.clock.advance(60_000);
    await pending;
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: so may one that accepts and breaks off, and it is asked again with what is left`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills(321);
    const cut: Script = { say: [], end: "none", finish: "close", body: ": accepted\n\n" };
    assertEquals((await vendors.ask(protocol, [cut, cut, {}], change)).text, "Hello there.");
    assertInputBilled(billed, 2);
    const limits = vendors.mock.requests.map(({ body }) =>
      body.max_tokens ?? body.generationConfig.maxOutputTokens
    );
    assertEquals(limits, [1_000, 321, 321]);
  });

  Deno.test(`${protocol}: with nothing left for another attempt there is none`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills(0);
    const answer = await vendors.ask(protocol, [{ body: "" }, {}], change);
    assertEquals([answer.error.code, vendors.mock.requests.length], ["provider_error", 1]);
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: a whole answer where a stream was asked for is billed by its length`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ said: "w".repeat(189) });
    const { error } = await vendors.ask(protocol, [{ headers, body }], change);
    assert(error !== undefined);
    assertEquals(billed.map(({ outputTokens }) => outputTokens), [100]);
    assert(billed[0]!.inputTokens > 10);
  });

  Deno.test(`${protocol}: one that refuses, or cannot be understood, bills nothing`, async () => {
    const refusals: Script[] = [
      { status: 429 },
      { status: 500 },
      { status: 400 },
      { garbage: "nothing" },
      { headers: { "content-type": "text/html" }, body: "<p>" },
      { headers: { "content-type": "application/json" }, body: '{"error":"out of memory"}' },
    ];
    for (const refusal of refusals) {
      await using vendors = await ProviderConnections.start();
      const { billed, change } = bills();
      const { error } = await vendors.ask(protocol, [refusal, refusal, refusal], change);
      assert(error !== undefined);
      assertEquals(billed, []);
    }
  });
}

Deno.test("anthropic: what was counted before an error is billed, and the vendor asked again", async () => {
  await using vendors = await ProviderConnections.start();
  const { billed, change } = bills();
  const overloaded: Script = { say: [{ ping: true }, { error: "overloaded" }], end: "none" };
  const answer = await vendors.ask("anthropic", [overloaded, overloaded, {}], change);
  assertEquals([answer.text, answer.error], ["Hello there.", undefined]);
  assertEquals(billed.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]), [
    [25, 1],
    [25, 1],
  ]);
});

Deno.test("openai: an error after the role is announced is a refusal that nobody bills", async () => {
  await using vendors = await ProviderConnections.start();
  const { billed, change } = bills();
  const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
  const error = 'data: {"error":{"type":"server_error","code":null}}\n\n';
  const answer = await vendors.ask("openai", [{ body: role + error }, {}], change);
  assertEquals([answer.text, answer.error, billed], ["Hello there.", undefined, []]);
});
