/** Follow-up questions: the tool that an agent with `followUps` offers to its model. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { frameTypes, onlyFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const QUESTIONS = { questions: ["Do you ship to Norway?", "What does express cost?"] };

/** A model's step with these questions, after `text`. */
function suggests(text: string, args: unknown = QUESTIONS): Script {
  const call = { id: "c1", name: "suggest_follow_ups", args: [JSON.stringify(args)] };
  return { say: [...text === "" ? [] : [{ text }], { calls: [call] }] };
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`follow-ups, ${provider}: come with the answer and take no further step`, async () => {
    await using mock = await MockProviders.start();
    await using on = await ProviderService.start(mock);
    mock.next(suggests("Within five days."));
    const agent = await on.agent(provider, { followUps: true });
    const frames = await readFrames(await on.send(agent));
    assertEquals(frameTypes(frames), [
      ...["start", "delta", "tool_call", "tool_result", "usage", "done"],
    ]);
    const { name, args } = onlyFrame(frames, "tool_call");
    assertEquals([name, args], ["suggest_follow_ups", QUESTIONS]);
    assertEquals(onlyFrame(frames, "tool_result").output, { ok: true });
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
    assertEquals(mock.requests.length, 1);
    assertStringIncludes(JSON.stringify(mock.requests[0]!.body), "suggest_follow_ups");
    assertEquals((await on.records()).map(({ steps, toolCalls }) => [steps, toolCalls]), [[1, 1]]);
  });

  Deno.test(`follow-ups, ${provider}: before the answer, the model is asked for it`, async () => {
    await using mock = await MockProviders.start();
    await using on = await ProviderService.start(mock);
    mock.next(suggests(""), { say: [{ text: "Within five days." }] });
    const agent = await on.agent(provider, { followUps: true });
    const frames = await readFrames(await on.send(agent));
    assertEquals(textOf(frames), "Within five days.");
    assertEquals([mock.requests.length, onlyFrame(frames, "done").finishReason], [2, "stop"]);
  });
}

Deno.test("follow-ups: too many and too long ones are an ordinary tool_invalid_arguments", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  const agent = await on.agent("vendor_a", { followUps: true });
  for (const questions of [["a", "b", "c", "d"], [], ["x".repeat(121)], [""], "Why?"]) {
    mock.next(suggests("So.", { questions }));
    const frames = await readFrames(await on.send(agent));
    const { error } = onlyFrame(frames, "tool_result").output as { error: { code: string } };
    assertEquals(error.code, "tool_invalid_arguments", JSON.stringify(questions));
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  }
  assertEquals(mock.requests.length, 5);
});

Deno.test("follow-ups: without the setting the model is not offered the tool, and cannot call it", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock);
  mock.next(suggests("So."), { say: [{ text: "Done." }] });
  const frames = await readFrames(await on.send(await on.agent("vendor_b", { followUps: false })));
  const { error } = onlyFrame(frames, "tool_result").output as { error: { code: string } };
  assertEquals(error.code, "tool_unknown");
  assert(!JSON.stringify(mock.requests[0]!.body).includes("suggest_follow_ups"));
  assertEquals(mock.requests.length, 2);
});

Deno.test("PATCH /v1/agents: followUps is versioned, and a tool may not have the tool's name", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key);
  const path = `/v1/agents/${agent.id}`;
  const patch = (json: unknown) => service.fetch(path, { method: "PATCH", key, json });
  assertEquals("followUps" in agent, false);
  const on = await expectJson(await patch({ followUps: true }), 200);
  assertEquals([on.followUps, on.version], [true, 2]);
  const off = await expectJson(await patch({ followUps: false }), 200);
  assertEquals([off.followUps, off.version], [false, 3]);
  await expectInvalid(await patch({ followUps: "yes" }), ["followUps"]);
  const tools = [httpTool({ name: "suggest_follow_ups" })];
  const allowedDomains = [new URL(tools[0]!.request.url).host];
  await expectInvalid(await patch({ followUps: true, tools, allowedDomains }), ["tools.0.name"]);
  assertEquals((await patch({ tools, allowedDomains })).status, 200);
});

Deno.test("the demo model suggests two follow-ups once, and none beyond its output limit", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key, { followUps: true });
  const ask = async (change: Record<string, unknown> = {}) => {
    const body = { agentId: agent.id, messages: [say("Where is my order?")], ...change };
    return await readFrames(await byKey(service, { key, body }));
  };
  const frames = await ask();
  assertEquals(onlyFrame(frames, "tool_call").args, {
    questions: [
      "Can you say more about “Where is my order?”?",
      "“Where is my order?”, in one sentence?",
    ],
  });
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const short = await ask({ maxOutputTokens: 60 });
  assertEquals(frameTypes(short).includes("tool_call"), false);
  const asked = await ask({ messages: [say('use suggest_follow_ups with {"questions":["A?"]}')] });
  assertEquals(asked.filter(({ frame }) => frame.type === "tool_call").length, 1);
});
