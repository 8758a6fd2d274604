/** Hand-offs of visitors that their sessions name: who reaches a conversation, and what its model reads. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Model, ModelEvent, ModelRequest } from "@/lib/providers/model.ts";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectJson } from "./support/expect_response.ts";
import { HANDOFF, Visitor } from "./support/handoffs.ts";
import { streamOf } from "./support/model_events.ts";
import { TestService } from "./support/service.ts";
import { embed, ORIGIN } from "./support/widget_calls.ts";

/** Sessions of one page: two of named visitors and one without a name, and a second one of the first. */
async function open() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const { key, agent, sessionToken } = await embed(service, {
    systemPrompt: "You help {{visitor.id}}, who has the plan {{visitor.plan}}.",
    variables: [{ name: "plan", type: "string", default: "free" }],
    handoff: HANDOFF,
  });
  const mint = async (id: string) => {
    const variables = { plan: `${id}'s plan` };
    const minted = await service.fetch("/v1/widget/session", {
      method: "POST",
      key,
      json: { agentId: agent.id, visitor: { id, variables } },
      headers: { origin: ORIGIN },
    });
    const { sessionToken } = await expectJson(minted, 201) as { sessionToken: string };
    return new Visitor(service, { agent, sessionToken });
  };
  const [ada, again, bob] = [await mint("ada"), await mint("ada"), await mint("bob")];
  const unnamed = new Visitor(service, { agent, sessionToken });
  return {
    ...{ service, key, agent, ada, again, bob, unnamed },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Replaces the service's model by one that records what it reads. */
function recordPrompts({ service }: TestService): ModelRequest[] {
  const asked: ModelRequest[] = [];
  async function* words(request: ModelRequest): AsyncGenerator<ModelEvent> {
    asked.push(request);
    yield { type: "text", text: "Hello" };
    yield { type: "usage", inputTokens: 5, outputTokens: 5 };
    yield { type: "end", reason: "stop" };
  }
  const model: Model = { stream: (request) => Promise.resolve(streamOf(words(request))) };
  (service.providers as ModelRegistry).find = () => model;
  return asked;
}

Deno.test("hand-off: only sessions of a named visitor reach its conversation", async () => {
  await using fixture = await open();
  const { service, key, ada, again, bob, unnamed } = fixture;
  await ada.say("Hi");
  await ada.ask();
  again.id = bob.id = unnamed.id = ada.id;
  assertEquals((await again.status()).state, "waiting");
  const routes: [string, string, unknown?][] = [
    ["GET", "handoff"],
    ["POST", "handoff"],
    ["GET", "stream"],
    ["POST", "typing"],
    ["POST", "contact", { email: "a@b.de", message: "x" }],
  ];
  for (const other of [bob, unnamed]) {
    for (const [method, path, json] of routes) {
      const response = await other.fetch(path, { method, ...json !== undefined && { json } });
      await response.body?.cancel();
      assertEquals(response.status, 404, path);
    }
  }
  // A key chooses by the visitor's id.
  const byKey = async (visitorId: string) => {
    const path = `/v1/chat/conversations/${ada.id}/handoff?visitorId=${visitorId}`;
    const response = await service.fetch(path, { key });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await byKey("ada"), await byKey("bob"), await byKey("")], [200, 404, 404]);
});

Deno.test("hand-off: visitors who use one conversation id have a person each", async () => {
  await using fixture = await open();
  const { service, ada, bob, unnamed } = fixture;
  await ada.say("I am Ada");
  bob.id = unnamed.id = ada.id;
  await bob.say("I am Bob");
  await ada.say(`use hand_off with {"reason":"a refund"}`);
  assertEquals((await ada.status()).state, "waiting");
  assertEquals((await bob.status()).state, "none");
  const [bobsStart] = await bob.say("A model answers");
  assert(bobsStart?.type === "start" && bobsStart.handoff === undefined);
  await unnamed.say("I have no name");
  await unnamed.ask();

  // The queue's links lead to exactly one of them.
  await Dashboard.setUp(service);
  const anna = await Dashboard.join(service, "admin", { name: "anna" });
  const list = await (await anna.get("/conversations")).text();
  const queue = list.slice(list.indexOf("handoff-queue"));
  const links = [
    ...queue.slice(0, queue.indexOf("</section>")).matchAll(/href="([^"#]+)#handoff"/g),
  ]
    .map(([, href]) => href!.replaceAll("&amp;", "&"));
  assertEquals(links.length, 2);
  for (const [n, href] of links.entries()) {
    assertEquals((await anna.post(href, { action: "take", name: "Anna" })).status, 303);
    assertEquals((await anna.post(href, { action: "say", text: `Reply ${n}` })).status, 303);
    const html = await (await anna.get(href)).text();
    assertStringIncludes(html, href.replaceAll("&", "&amp;"));
  }
  for (const [n, visitor] of [ada, unnamed].entries()) {
    await using feed = await visitor.feed();
    await feed.next();
    await feed.next();
    assertEquals((await feed.next())?.data.text, `Reply ${n}`);
  }
  assertEquals((await bob.status()).state, "none");
});

Deno.test("hand-off: a person's words follow the prompt with the visitor's values", async () => {
  await using fixture = await open();
  const { service, ada } = fixture;
  const asked = recordPrompts(service);
  await ada.say("Hi");
  await ada.ask();
  const tenant = await service.tenant();
  const { handoffs } = service.service;
  const { name } = (await handoffs.locate(tenant, ada.id, { visitorId: "ada" }))!;
  await handoffs.act(name, { type: "take", person: { id: "anna", name: "Anna" } });
  // Not a placeholder: the words of people are added once the prompt has its values.
  const text = "Your plan is {{visitor.plan}}";
  await handoffs.act(name, { type: "say", userId: "anna", text });
  await handoffs.act(name, { type: "return" });
  await ada.say("And now?");
  const [, { system }] = asked as [ModelRequest, ModelRequest];
  assert(system.startsWith("You help ada, who has the plan ada's plan.\n\n"), system);
  assertStringIncludes(system, `"Anna" wrote: ${JSON.stringify(text)}`);
});
