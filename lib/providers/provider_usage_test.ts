/** The usage that may be billed for a failed attempt, over real sockets. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import { PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { ModelRequest, ModelUsage } from "./model.ts";

/** Records what is billed; a retry may write `left` tokens. */
function bills(left = 500) {
  const billed: ModelUsage[] = [];
  const change: Partial<ModelRequest> = {
    maxInputTokens: 1_000,
    onUsage: (usage) => billed.push(usage),
    authorizeRetry: () => Promise.resolve(left),
  };
  return { billed, change };
}

/** Asserts a high estimate of the input and no output. */
function assertInputBilled(billed: readonly ModelUsage[], times: number): void {
  assertEquals(billed.length, times);
  for (const { inputTokens, outputTokens, estimated } of billed) {
    assert(inputTokens > 30 && inputTokens <= 1_000, `${inputTokens}`);
    assertEquals([outputTokens, estimated], [0, true]);
  }
}

for (const protocol of PROTOCOLS) {
  Deno.test(`${protocol}: an aborted request that was sent may be billed for its input`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol, change));
    await vendors.mock.asked(1);
    vendors.stop.abort();
    await pending;
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: a timeout may be billed for its input`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    vendors.mock.next({ silent: true });
    const pending = assertRejects(() => vendors.open(protocol, change));
    await vendors.mock.asked(1);
    await vendors.clock.advance(60_000);
    await pending;
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: a broken response may be billed, and the retry gets the rest of the budget`, async () => {
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

  Deno.test(`${protocol}: without a budget there is no retry`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills(0);
    const answer = await vendors.ask(protocol, [{ body: "" }, {}], change);
    assertEquals([answer.error.code, vendors.mock.requests.length], ["provider_error", 1]);
    assertInputBilled(billed, 1);
  });

  Deno.test(`${protocol}: a whole response instead of a stream is billed by its length`, async () => {
    await using vendors = await ProviderConnections.start();
    const { billed, change } = bills();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ said: "w".repeat(189) });
    const { error } = await vendors.ask(protocol, [{ headers, body }], change);
    assert(error !== undefined);
    assertEquals(billed.map(({ outputTokens }) => outputTokens), [100]);
    assert(billed[0]!.inputTokens > 10);
  });

  Deno.test(`${protocol}: an error response or an unreadable one bills nothing`, async () => {
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

Deno.test("anthropic: usage reported before an error is billed, and the request retried", async () => {
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

Deno.test("openai: an error after the role is a rejection and not billed", async () => {
  await using vendors = await ProviderConnections.start();
  const { billed, change } = bills();
  const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
  const error = 'data: {"error":{"type":"server_error","code":null}}\n\n';
  const answer = await vendors.ask("openai", [{ body: role + error }, {}], change);
  assertEquals([answer.text, answer.error, billed], ["Hello there.", undefined, []]);
});
