/** Guardrails in the dashboard: the agent's page, its trial, and what the inbox shows. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectJson } from "./support/expect_response.ts";
import { startFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const FORM = {
  "version": "1",
  "output.words": "secret\n\nLaunch code",
  "output.wordsAction": "block",
  "output.kinds": "card",
  "output.kindsAction": "mask",
  "output.message": "Ask the shop.",
  "input.wordsAction": "mask",
};

async function open() {
  const service = await TestService.start({ ...instantRuntime(), env: { SETUP_TOKEN } });
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const agent = await service.agent(key);
  const operator = await Dashboard.setUp(service);
  const path = `/agents/${agent.id}/guardrails`;
  const stored = async () =>
    (await expectJson(await service.fetch(`/v1/agents/${agent.id}`, { key }), 200)).guardrails;
  return {
    ...{ service, key, agent, operator, path, stored },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

Deno.test("/agents/:id/guardrails: saves the form, shows it again, and removes what is blank", async () => {
  await using on = await open();
  const { operator, path, stored } = on;
  assertStringIncludes(await (await operator.get(path)).text(), "Answers of the agent");
  assertEquals((await operator.post(path, FORM)).status, 303);
  assertEquals(await stored(), {
    output: {
      denyWords: { words: ["secret", "Launch code"], action: "block" },
      personalData: { kinds: ["card"], action: "mask" },
      message: "Ask the shop.",
    },
  });
  const html = await (await operator.get(path)).text();
  assertStringIncludes(html, "secret\nLaunch code");
  assertStringIncludes(html, "Ask the shop.");
  const copy = await (await operator.get(`/agents/new?from=${on.agent.id}`)).text();
  assertStringIncludes(copy, 'name="guardrails"');
  assertStringIncludes(
    await (await operator.get(`/agents/${on.agent.id}/versions/2`)).text(),
    "Launch code",
  );
  assertEquals((await operator.post(path, { version: "2" })).status, 303);
  assertEquals(await stored(), undefined);
});

Deno.test("/agents/:id/guardrails: says what is not valid at its field, and keeps what was typed", async () => {
  await using on = await open();
  const { operator, path, stored } = on;
  const faults: [Record<string, string>, string][] = [
    [{ "input.words": "***" }, "each with a letter or a digit"],
    [{ "input.policy": "No weapons." }, "Choose a model that your plan includes."],
    [{ "input.model": "vendor_a/demo" }, "Enter 1 to 2,000 characters."],
    [
      { "input.words": "x", "input.wordsAction": "hand_off" },
      "To hand off, the agent must be allowed to ask for a person",
    ],
  ];
  for (const [fields, message] of faults) {
    const rejected = await operator.post(path, { ...FORM, ...fields });
    assertEquals(rejected.status, 400, message);
    const html = await rejected.text();
    assertStringIncludes(html, message);
    assertStringIncludes(html, "Launch code");
  }
  assertEquals(await stored(), undefined);
  const viewer = await Dashboard.join(on.service, "viewer");
  assertEquals((await viewer.post(path, FORM)).status, 403);
  const { id: tenant } = await on.service.service.tenants.create("Elsewhere");
  const foreign = await Dashboard.join(on.service, "owner", { tenant, name: "else" });
  assertEquals((await foreign.post(path, FORM)).status, 404);
});

Deno.test("/agents/:id/guardrails: a text is tried with the form's rules, and nothing is saved", async () => {
  await using on = await open();
  const { operator, path, stored } = on;
  const sample = "<b>4111 1111 1111 1111</b>, se\u200bcret plans";
  const tried = await operator.post(path, { ...FORM, sample, action: "try" });
  assertEquals(tried.status, 200);
  const html = await tried.text();
  assertStringIncludes(html, "&lt;b>[card number]&lt;/b>, </p>");
  assertStringIncludes(
    html,
    "Found: Payment card numbers, Words and phrases. The answer ends here.",
  );
  assertEquals(await stored(), undefined);
});

Deno.test("/conversations/:id: a run says which guardrail acted, without the text", async () => {
  await using on = await open();
  const { service, key, agent, operator, path } = on;
  await operator.post(path, FORM);
  const ask = async (content: string) => {
    const body = { agentId: agent.id, messages: [say(content)] };
    return startFrame(await readFrames(await byKey(service, { key, body }))).conversationId;
  };
  const masked = await (await operator.get(
    `/conversations/${await ask("Is 4111111111111111 it?")}?agentId=${agent.id}`,
  )).text();
  assertStringIncludes(masked, "Payment card numbers in the answer: replaced, once");
  assertStringIncludes(masked, "Masked");
  const blocked =
    await (await operator.get(`/conversations/${await ask("Tell the secret")}?agentId=${agent.id}`))
      .text();
  assertStringIncludes(blocked, "Words and phrases in the answer: blocked, once");
  assertStringIncludes(blocked, "Filtered");
  assert(blocked.includes("Ask the shop."));
  assertFalse(masked.includes("You asked: “Is 4111"));
});
