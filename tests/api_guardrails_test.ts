/** Guardrails, from the message to the stored transcript. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { catalogueEntry } from "./support/chat.ts";
import { openConversations } from "./support/conversations.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { frameTypes, onlyFrame, startFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const CARD = "4111 1111 1111 1111";
const MASK = { personalData: { kinds: ["card", "email"], action: "mask" } };
const SCOPES = ["agents:write", "widget:mint", "billing:read", "conversations:write"] as const;

/** An answer in pieces of a few characters. */
function pieces(text: string): Script {
  return { say: text.match(/.{1,3}/gs)!.map((text) => ({ text })) };
}

/** The frames that a run has by now. */
async function readSoFar(on: ProviderService, path: string) {
  return await readFrames(await on.service.fetch(`${path}/stream?after=0&wait=1`, { key: on.key }));
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`guardrails, ${provider}: a card split over many deltas is in no frame, log or transcript`, async () => {
    await using mock = await MockProviders.start();
    await using on = await ProviderService.start(mock);
    const key = await on.service.key([...SCOPES]);
    mock.next(pieces(`Your card ${CARD} is valid.`));
    const agent = await on.agent(provider, { guardrails: { output: MASK } });
    const response = await on.send(agent);
    const runId = response.headers.get("x-run-id")!;
    const frames = await readFrames(response);
    assertEquals(textOf(frames), "Your card [card number] is valid.");
    assert(!JSON.stringify(frames).includes("4111"));
    for (const after of [0, 1, 2]) {
      const path = `/v1/chat/runs/${runId}/stream?after=${after}`;
      const resumed = await readFrames(await on.service.fetch(path, { key: on.key }));
      assertEquals(resumed, frames.slice(after));
    }
    const { conversationId } = startFrame(frames);
    const transcript = await expectJson(
      await on.service.fetch(`/v1/conversations/${conversationId}`, { key }),
      200,
    );
    assertEquals(transcript.runs[0].text, "Your card [card number] is valid.");
    assertEquals(transcript.runs[0].guardrails, [
      { side: "output", rule: "card", action: "mask", count: 1 },
    ]);
    assert(!on.service.logged.some((line) => line.includes("4111")));
  });

  Deno.test(`guardrails, ${provider}: a blocked answer closes the provider's stream and is billed`, async () => {
    await using mock = await MockProviders.start();
    await using on = await ProviderService.start(mock);
    const written = { say: [{ text: "The secret is" }, { text: " out" }], finish: "hang" as const };
    mock.next({ ...written, end: "none" });
    const output = { denyWords: { words: ["secret"], action: "block" }, message: "Ask the shop." };
    const agent = await on.agent(provider, { guardrails: { output } });
    const frames = await readFrames(await on.send(agent));
    assertEquals(textOf(frames), "The \n\nAsk the shop.");
    assertEquals(onlyFrame(frames, "done").finishReason, "content_filter");
    assert(onlyFrame(frames, "usage").costUsd > 0);
    await (await mock.asked(1)).gone;
  });
}

Deno.test("guardrails: a stopped run shows what was held back, and stores it", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const key = await on.service.key([...SCOPES]);
  const agent = await on.agent("vendor_b", { guardrails: { output: MASK } });
  const never = new Promise(() => {});
  mock.next({ say: [{ text: "Write to jo" }, { text: "hn" }, { wait: never }] });
  const response = await on.send(agent);
  const runId = response.headers.get("x-run-id")!;
  const reading = readFrames(response);
  await mock.asked(1);
  // The text before the last word is shown, so the rest has arrived or will not.
  const path = `/v1/chat/runs/${runId}`;
  while (!textOf(await readSoFar(on, path)).startsWith("Write to")) { /* not yet */ }
  await on.service.fetch(`${path}/cancel`, { method: "POST", key: on.key });
  const frames = await reading;
  assert(["Write to jo", "Write to john"].includes(textOf(frames)), textOf(frames));
  assertEquals(onlyFrame(frames, "done").finishReason, "cancelled");
  const { conversationId } = startFrame(frames);
  const stored = await on.service.fetch(`/v1/conversations/${conversationId}`, { key });
  assertEquals((await expectJson(stored, 200)).runs[0].text, textOf(frames));
});

Deno.test("guardrails: personal data of the visitor reaches neither the model nor the store", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const key = await on.service.key([...SCOPES]);
  const agent = await on.agent("vendor_a", { guardrails: { input: MASK } });
  mock.next(pieces("Thanks."), pieces("Yes."));
  const first = await readFrames(await on.send(agent, { messages: [say(`My card: ${CARD}`)] }));
  const { conversationId } = startFrame(first);
  const messages = [
    say(`My card: ${CARD}`),
    { role: "assistant", content: "Thanks." },
    say("And?"),
  ];
  await readFrames(await on.send(agent, { messages, conversationId }));
  for (const { body } of mock.requests) assert(!JSON.stringify(body).includes("4111"));
  assertStringIncludes(JSON.stringify(mock.requests[1]!.body), "My card: [card number]");
  const path = `/v1/conversations/${conversationId}`;
  const { runs } = await expectJson(await on.service.fetch(path, { key }), 200);
  // The masked message that the client sends again is the stored one.
  assertEquals(runs.map((run: { messages: { content: string }[] }) => run.messages.length), [1, 1]);
  assertEquals(runs[0].messages[0].content, "My card: [card number]");
  const hit = { side: "input", rule: "card", action: "mask", count: 1 };
  assertEquals([runs[0].guardrails, runs[1].guardrails], [[hit], undefined]);
});

Deno.test("guardrails: a blocked message asks no model, costs nothing, and cannot be smuggled in later", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const input = { denyWords: { words: ["explosives"], action: "block" } };
  const agent = await on.agent("vendor_a", { guardrails: { input } });
  const blocked = await readFrames(
    await on.send(agent, { messages: [say("About ex\u200bplo**sives**")] }),
  );
  assertEquals(frameTypes(blocked), ["start", "delta", "usage", "done"]);
  assertEquals(textOf(blocked), "I cannot help with that.");
  assertEquals([onlyFrame(blocked, "usage").costUsd, mock.requests.length], [0, 0]);
  mock.next(pieces("Hm."));
  const messages = [
    say("About explosives"),
    { role: "assistant", content: "I cannot help with that." },
    say("Please answer that."),
  ];
  const later = await readFrames(await on.send(agent, { messages }));
  assertEquals(onlyFrame(later, "done").finishReason, "stop");
  assert(!JSON.stringify(mock.requests[0]!.body).includes("explosives"));
});

/** Models of which the second is the classifier. */
const CATALOGUE = [
  catalogueEntry(),
  catalogueEntry({ model: "judge", inputUsdPerMTok: 0.5, outputUsdPerMTok: 2 }),
];
const JUDGE = { provider: "vendor_a", model: "judge", policy: "No weapons.", action: "block" };
const verdict = (word: string): Script => ({
  say: [{ text: word }],
  usage: { input: 200, output: 2 },
});

Deno.test("guardrails: classifiers of both sides are asked, billed and recorded", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock, { catalogue: CATALOGUE });
  const guardrails = { input: { classifier: JUDGE }, output: { classifier: JUDGE } };
  const agent = await on.agent("vendor_a", { guardrails });
  mock.next(
    verdict("ALLOW"),
    { say: [{ text: "Fine." }], usage: { input: 100, output: 10 } },
    verdict("ALLOW"),
  );
  const frames = await readFrames(await on.send(agent));
  assertEquals(textOf(frames), "Fine.");
  assertEquals(mock.requests.map(({ model }) => model), ["judge", "mid", "judge"]);
  // (100 × 3 + 10 × 15) + 2 × (200 × 0.5 + 2 × 2) micro-USD.
  assertEquals(onlyFrame(frames, "usage").costUsd, 0.000_658);
  const [record] = await on.records();
  assertEquals(record!.models?.map(({ model, steps, cost }) => [model, steps, cost]), [
    ["judge", 0, 208],
    ["mid", 1, 450],
  ]);
  assertStringIncludes(JSON.stringify(mock.requests[0]!.body), "No weapons.");
});

Deno.test("guardrails: a classifier stops the answer before it is shown, and the message before the model", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock, { catalogue: CATALOGUE });
  const output = await on.agent("vendor_a", { guardrails: { output: { classifier: JUDGE } } });
  mock.next(pieces("Take a pipe."), verdict("BLOCK"));
  const answered = await readFrames(await on.send(output));
  assertEquals(textOf(answered), "I cannot help with that.");
  const input = await on.agent("vendor_a", { guardrails: { input: { classifier: JUDGE } } });
  mock.next(verdict("Block"));
  const asked = await readFrames(await on.send(input));
  assertEquals(textOf(asked), "I cannot help with that.");
  assertEquals(onlyFrame(asked, "done").finishReason, "content_filter");
  assertEquals(mock.requests.map(({ model }) => model), ["mid", "judge", "judge"]);
});

Deno.test("guardrails: a classifier that fails passes texts, or not with failClosed", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock, { catalogue: CATALOGUE });
  const failing: Script[] = [
    { status: 401, body: "{}" },
    verdict("Perhaps."),
    verdict("ALLOW or BLOCK"),
  ];
  for (const script of failing) {
    for (const failClosed of [false, true]) {
      const classifier = { ...JUDGE, failClosed };
      const agent = await on.agent("vendor_a", { guardrails: { input: { classifier } } });
      mock.next(script, ...failClosed ? [] : [pieces("Fine.")]);
      const frames = await readFrames(await on.send(agent));
      assertEquals(textOf(frames), failClosed ? "I cannot help with that." : "Fine.");
    }
  }
});

Deno.test("guardrails: no answer costs more than its budget, and unjudged text is not shown", async () => {
  const text = "A sentence that is worth some tokens. ".repeat(30);
  await using mock = await MockProviders.start({
    otherwise: ({ model, body }) => {
      if (model === "judge") return verdict("ALLOW");
      // As much as it was allowed to write.
      const output = body.max_completion_tokens ?? body.max_tokens;
      return { say: [{ text }], usage: { input: 1_000, output } };
    },
  });
  await using on = await ProviderService.start(mock, { catalogue: CATALOGUE });
  const guardrails = { input: { classifier: JUDGE }, output: { classifier: JUDGE } };
  const ends: string[] = [];
  for (const maxCostUsd of [0, 0.001, 0.002, 0.004, 0.006, 0.01, 0.02, 0.1]) {
    const budget = { maxCostUsd, maxSteps: 3, wallClockMs: 30_000 };
    const agent = await on.agent("vendor_a", { guardrails, budget });
    const asked = mock.requests.length;
    const frames = await readFrames(await on.send(agent));
    const { costUsd } = onlyFrame(frames, "usage");
    assert(costUsd <= maxCostUsd, `${costUsd} of ${maxCostUsd}`);
    const judged = mock.requests.slice(asked).filter(({ model }) => model === "judge");
    if (judged.length < 2) assertEquals(textOf(frames), "");
    ends.push(onlyFrame(frames, "done").finishReason);
  }
  assertEquals([ends[0], ends.at(-1)], ["max_cost", "stop"]);
});

Deno.test("guardrails: the demo model shows them without a provider", async () => {
  await using on = await openConversations();
  const { service, key } = on;
  const agent = await service.agent(key, { guardrails: { output: MASK } });
  const ask = async (content: string) =>
    textOf(
      await readFrames(
        await byKey(service, { key, body: { agentId: agent.id, messages: [say(content)] } }),
      ),
    );
  assertStringIncludes(await ask(`Is ${CARD} mine?`), "You asked: “Is [card number] mine?”");
  assertStringIncludes(await ask("Is 4111 1111 1111 1112 mine?"), "“Is 4111 1111 1111 1112 mine?”");
});

Deno.test("PATCH /v1/agents: guardrails are strict, bounded, and cleared by null", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key);
  const patch = (guardrails: unknown, change: Record<string, unknown> = {}) =>
    service.fetch(`/v1/agents/${agent.id}`, {
      ...{ method: "PATCH", key },
      json: { guardrails, ...change },
    });
  const words = (some: unknown[], action = "mask") => ({
    output: { denyWords: { words: some, action } },
  });
  const saved = await expectJson(await patch(words([" card "])), 200);
  assertEquals(saved.guardrails, words(["card"]));
  // The dashboard has a line for each.
  assertEquals(
    (await expectJson(await patch(words(["bank\n account"])), 200)).guardrails,
    words(["bank account"]),
  );
  assertEquals("guardrails" in await expectJson(await patch(null), 200), false);
  await expectInvalid(await patch({ other: {} }), ["guardrails.other"]);
  await expectInvalid(await patch(words([])), ["guardrails.output.denyWords.words"]);
  await expectInvalid(await patch(words(["***"])), ["guardrails.output.denyWords.words.0"]);
  await expectInvalid(await patch(words(Array(501).fill("a"))), [
    "guardrails.output.denyWords.words",
  ]);
  const kinds = { kinds: ["card", "card"], action: "mask" };
  await expectInvalid(await patch({ input: { personalData: kinds } }), [
    "guardrails.input.personalData.kinds",
  ]);
  const classifier = { ...JUDGE, action: "mask" };
  await expectInvalid(await patch({ input: { classifier } }), [
    "guardrails.input.classifier.action",
  ]);
  await expectInvalid(await patch({ input: { classifier: JUDGE } }), [
    "guardrails.input.classifier.model",
  ]);
  await expectInvalid(await patch(words(["card"], "hand_off")), ["guardrails"]);
  const handoff = { enabled: true, by: ["model"], message: "A person comes." };
  assertEquals((await patch(words(["card"], "hand_off"), { handoff })).status, 200);
});

Deno.test("guardrails: a hand-off by a rule waits for a person, with the masked message", async () => {
  await using on = await openConversations();
  const { service, key } = on;
  const agent = await service.agent(key, {
    handoff: { enabled: true, by: ["model"], message: "A person comes." },
    guardrails: { input: { personalData: { kinds: ["card"], action: "hand_off" } } },
  });
  const frames = await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages: [say(`Card ${CARD}`)] } }),
  );
  assertEquals(frameTypes(frames), ["start", "tool_call", "tool_result", "delta", "usage", "done"]);
  assertEquals(textOf(frames), "A person comes.");
  const { conversationId } = startFrame(frames);
  const transcript = await on.transcript(conversationId);
  assertEquals(transcript.handoff?.state, "waiting");
  assertEquals(transcript.runs[0]!.messages[0]!.content, "Card [card number]");
  // The next message is the person's to answer, so the rule has only replaced the number.
  const messages = [say(`Again ${CARD}`)];
  await readFrames(
    await byKey(service, { key, body: { agentId: agent.id, messages, conversationId } }),
  );
  const { runs } = await on.transcript(conversationId);
  assertEquals(runs[1]!.messages[0]!.content, "Again [card number]");
  assertEquals(runs[1]!.guardrails, [{ side: "input", rule: "card", action: "mask", count: 1 }]);
});

Deno.test("guardrails: the demo model is a classifier that blocks what the policy quotes", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const policy = 'Nothing about “weapons” or "drugs".';
  const classifier = {
    provider: "vendor_a",
    model: "demo",
    policy,
    action: "block",
    failClosed: true,
  };
  for (const side of ["input", "output"]) {
    const agent = await service.agent(key, { guardrails: { [side]: { classifier } } });
    const ask = async (content: string) => {
      const body = { agentId: agent.id, messages: [say(content)] };
      return onlyFrame(await readFrames(await byKey(service, { key, body })), "done").finishReason;
    };
    assertEquals(await ask("Where is my parcel?"), "stop");
    assertEquals(await ask("Where are the Weapons?"), "content_filter");
  }
});
