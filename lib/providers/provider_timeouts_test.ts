/** What an answer is charged that was stopped while its model thought in silence, over real sockets. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Script, ScriptedPart } from "@/tests/support/mock_providers/script.ts";
import { onlyEvent, PROTOCOLS, ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { ModelUsage } from "./model.ts";

const change = { maxOutputTokens: 4_000 };

for (const protocol of PROTOCOLS) {
  /** The usage of an answer that is stopped `ms` after it was begun, before its first word. */
  const stopped = async (ms: number, say: ScriptedPart[] = []) => {
    await using vendors = await ProviderConnections.start();
    const script: Script = { say: [{ comment: "begun" }, ...say], end: "none", finish: "hang" };
    const pending = vendors.ask(protocol, script, change);
    await vendors.arrived;
    await vendors.clock.advance(ms);
    vendors.stop.abort(new Error("stopped"));
    return onlyEvent((await pending).events, "usage");
  };

  Deno.test(`${protocol}: an immediate abort costs no output`, async () => {
    const { inputTokens, outputTokens } = await stopped(1_900);
    assert(inputTokens > 0);
    // One provider counts a token at the start.
    assertEquals(outputTokens, protocol === "anthropic" ? 1 : 0);
  });

  Deno.test(`${protocol}: a later abort costs estimated reasoning, up to the output limit`, async () => {
    const { outputTokens, estimated } = await stopped(12_000);
    assertEquals([outputTokens, estimated], [1_000, true]);
    assertEquals((await stopped(59_000)).outputTokens, 4_000);
  });

  Deno.test(`${protocol}: the silence before the first text is charged in addition to it`, async () => {
    for (const whole of [false, true]) {
      await using vendors = await ProviderConnections.start();
      const thought = Promise.withResolvers<void>();
      const say: ScriptedPart[] = [{ comment: "begun" }, { wait: thought.promise }, {
        text: "Yes.",
      }];
      const forEver: ScriptedPart = { wait: new Promise(() => {}) };
      const script: Script = whole
        ? { say, usage: "absent" }
        : { say: [...say, forEver], usage: "absent", end: "none" };
      const pending = vendors.ask(protocol, script, change);
      await vendors.arrived;
      await vendors.clock.advance(12_000);
      thought.resolve();
      await vendors.textRead;
      await vendors.clock.advance(30_000);
      if (!whole) vendors.stop.abort(new Error("stopped"));
      const { outputTokens } = onlyEvent((await pending).events, "usage");
      // Without reported usage, a whole response counts what was received.
      assertEquals(outputTokens, whole ? 2 : 1_002);
    }
  });

  Deno.test(`${protocol}: a known reasoning model is charged for the time before the response`, async () => {
    await using vendors = await ProviderConnections.start();
    const billed: ModelUsage[] = [];
    const bills = { ...change, onUsage: (usage: ModelUsage) => billed.push(usage) };
    await vendors.ask(protocol, { say: [{ thought: "Hm." }, { text: "Yes." }] });
    vendors.mock.next({ silent: true }, { silent: true });
    const known = assertRejects(() => vendors.open(protocol, bills));
    const other = assertRejects(() => vendors.open(protocol, { ...bills, model: "another" }));
    await vendors.mock.asked(3);
    await vendors.clock.advance(12_000);
    vendors.stop.abort(new Error("stopped"));
    await Promise.all([known, other]);
    assertEquals(billed.map(({ outputTokens }) => outputTokens).sort(), [0, 1_000]);
  });
}

Deno.test("anthropic: signatures and redacted thinking count as output", async () => {
  await using vendors = await ProviderConnections.start();
  const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
  const block = (content_block: unknown) => data({ type: "content_block_start", content_block });
  const delta = { type: "signature_delta", signature: "s".repeat(600) };
  const body = block({ type: "redacted_thinking", data: "d".repeat(1_000) }) +
    block({ type: "thinking", thinking: "", signature: "" }) +
    data({ type: "content_block_delta", delta }) +
    block({ type: "text", text: "Yes." });
  const { events } = await vendors.ask("anthropic", { body }, change);
  assertEquals(onlyEvent(events, "usage").outputTokens, 800 + 2);
});

Deno.test("a model that has its own time to begin is waited for no longer", async () => {
  for (const [responseMs, waited] of [[1_000, 1_000], [undefined, 60_000]] as const) {
    await using vendors = await ProviderConnections.start();
    const pending = vendors.ask("openai", { silent: true }, responseMs ? { responseMs } : {});
    await vendors.mock.asked(1);
    let ended = false;
    void pending.then(() => ended = true);
    await vendors.clock.advance(waited - 1);
    assertEquals(ended, false);
    await vendors.clock.advance(1);
    assertEquals((await pending).error.code, "provider_timeout");
  }
});

Deno.test("headers and comments that keep a connection alive are not the beginning of a response", async () => {
  await using vendors = await ProviderConnections.start();
  const script: Script = { body: ": OPENROUTER PROCESSING\n\n", finish: "hang" };
  const billed: ModelUsage[] = [];
  const pending = vendors.ask("openai", script, {
    responseMs: 5_000,
    onUsage: (usage) => billed.push(usage),
  });
  await vendors.arrived;
  await vendors.clock.advance(4_999);
  assertEquals(billed, []);
  await vendors.clock.advance(1);
  const { error, accepted } = await pending;
  assertEquals([error?.code, accepted, billed.length], ["provider_timeout", false, 1]);
  assertEquals(vendors.mock.requests.length, 1);
});

Deno.test("a response that began in time may think for longer than the model's time to begin", async () => {
  await using vendors = await ProviderConnections.start();
  const thought = Promise.withResolvers<void>();
  const script: Script = {
    say: [{ comment: "begun" }, { wait: thought.promise }, { text: "Yes." }],
  };
  const pending = vendors.ask("anthropic", script, { responseMs: 5_000 });
  await vendors.arrived;
  await vendors.clock.advance(30_000);
  thought.resolve();
  assertEquals((await pending).text, "Yes.");
});
