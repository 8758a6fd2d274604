/** A session that names its visitor: at mint, in prompts and tools, in stored conversations. */
import { assert, assertEquals, assertFalse, assertNotEquals } from "@std/assert";
import { httpTool } from "./support/agents.ts";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { TestService } from "./support/service.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { storedText } from "./support/store.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ownerCookie } from "./support/owner.ts";
import { chat, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const VARIABLES = [
  { name: "plan", type: "string", description: "What the shop sold.", default: "free" },
  { name: "seats", type: "number" },
  { name: "beta", type: "boolean" },
];
const EMAIL = "ada@customer.example";

/** The answer to `POST /v1/widget/session` for an agent. */
function mint(
  service: TestService,
  { key, agentId, visitor, headers = {} }: {
    key: string;
    agentId: string;
    visitor?: unknown;
    headers?: Record<string, string>;
  },
): Promise<Response> {
  return service.fetch("/v1/widget/session", {
    method: "POST",
    key,
    json: { agentId, ...visitor !== undefined && { visitor } },
    headers: { origin: ORIGIN, ...headers },
  });
}

async function tokenOf(answer: Response): Promise<string> {
  assertEquals(answer.status, 201, await answer.clone().text());
  return (await answer.json()).sessionToken;
}

Deno.test("POST /v1/widget/session: a visitor that is not valid is a 400 with the field's path", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service, { variables: VARIABLES });
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`v${n}`, 1]));
  const cases: [name: string, visitor: unknown, paths: string[]][] = [
    ["no object", "ada", ["visitor"]],
    ["no id", {}, ["visitor.id"]],
    ["an empty id", { id: "" }, ["visitor.id"]],
    ["a long id", { id: "x".repeat(129) }, ["visitor.id"]],
    ["a control character", { id: "a\nb" }, ["visitor.id"]],
    ["another control character", { id: "a\u0085b" }, ["visitor.id"]],
    ["a NUL", { id: "a\0b" }, ["visitor.id"]],
    ["an unknown field", { id: "a", name: "Ada" }, ["visitor.name"]],
    ["an undeclared variable", { id: "a", variables: { other: "x" } }, ["visitor.variables.other"]],
    ["an inherited name", { id: "a", variables: { toString: "x" } }, [
      "visitor.variables.toString",
    ]],
    ["the reserved name", { id: "a", variables: { id: "x" } }, ["visitor.variables.id"]],
    ["a wrong type", { id: "a", variables: { seats: "3" } }, ["visitor.variables.seats"]],
    ["a list", { id: "a", variables: { plan: ["pro"] } }, ["visitor.variables.plan"]],
    ["null", { id: "a", variables: { plan: null } }, ["visitor.variables.plan"]],
    ["too many", { id: "a", variables: many }, ["visitor.variables"]],
    ["too long", { id: "a", variables: { plan: "x".repeat(4_096) } }, ["visitor.variables"]],
  ];
  for (const [name, visitor, paths] of cases) {
    await t.step(name, async () => {
      await expectInvalid(await mint(service, { key, agentId: agent.id, visitor }), paths);
    });
  }
  await t.step("the longest id and values are accepted", async () => {
    const variables = { plan: "x".repeat(4_096 - '{"plan":""}'.length) };
    const visitor = { id: "😀".repeat(64), variables };
    await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));
  });
});

Deno.test("agents: variables are validated, and every placeholder needs one", async (t) => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key();
  const create = (change: Record<string, unknown>) =>
    service.fetch("/v1/agents", { method: "POST", key, json: { ...BODY, ...change } });
  const tool = httpTool({}, { query: { plan: "{{visitor.plan}}" } });
  const hosts = { allowedDomains: ["tools.example.com"] };
  const cases: [name: string, change: Record<string, unknown>, paths: string[]][] = [
    ["a name", { variables: [{ name: "1st", type: "string" }] }, ["variables.0.name"]],
    ["the reserved name", { variables: [{ name: "id", type: "string" }] }, ["variables.0.name"]],
    [
      "a repeated name",
      { variables: [VARIABLES[0], VARIABLES[1], VARIABLES[0]] },
      ["variables.2.name"],
    ],
    ["a type", { variables: [{ name: "a", type: "date" }] }, ["variables.0.type"]],
    [
      "a default",
      { variables: [{ name: "a", type: "number", default: "1" }] },
      ["variables.0.default"],
    ],
    ["a field", { variables: [{ name: "a", type: "string", secret: true }] }, [
      "variables.0.secret",
    ]],
    [
      "33 of them",
      { variables: Array.from({ length: 33 }, (_, n) => ({ name: `v${n}`, type: "string" })) },
      ["variables"],
    ],
    ["the prompt", { systemPrompt: "For {{visitor.plan}}" }, ["systemPrompt"]],
    ["a tool", { tools: [tool], ...hosts }, ["tools.0.request.query.plan"]],
    [
      "an MCP server",
      {
        tools: [{
          type: "mcp",
          name: "crm",
          url: "https://tools.example.com/",
          headers: { "x-plan": "{{visitor.plan}}" },
        }],
        ...hosts,
      },
      ["tools.0.headers.x-plan"],
    ],
  ];
  for (const [name, change, paths] of cases) {
    await t.step(name, async () => {
      await expectInvalid(await create(change), paths);
    });
  }
  await t.step("a variable in use cannot be removed, whatever else changes", async () => {
    const used = { variables: VARIABLES, systemPrompt: "For {{visitor.plan}}", tools: [tool] };
    const agent = await (await create({ ...used, ...hosts })).json();
    assertEquals(agent.variables, VARIABLES);
    const path = `/v1/agents/${agent.id}`;
    const patch = (json: unknown) => service.fetch(path, { method: "PATCH", key, json });
    await expectInvalid(await patch({ variables: [] }), [
      "systemPrompt",
      "tools.0.request.query.plan",
    ]);
    const unused = await patch({ variables: [], systemPrompt: "For all.", tools: [] });
    assertEquals((await unused.json()).variables, undefined);
    const versions = await service.fetch(`${path}/versions/1`, { key });
    assertEquals((await versions.json()).variables, VARIABLES);
  });
});

const BODY = {
  name: "Helper",
  systemPrompt: "Be helpful.",
  modelPolicy: { provider: "vendor_a", model: "demo" },
  budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
  tools: [],
  allowedDomains: [],
  allowedOrigins: [ORIGIN],
};

Deno.test("a run's prompt and tools get the session's values, which the model neither sees nor sets", async (t) => {
  const seen: { url: URL; headers: Headers; body: unknown }[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { url, headers } = request;
      seen.push({ url: new URL(url), headers, body: await request.json() });
      return Response.json({ ok: true });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  await using mock = await MockProviders.start({
    otherwise: ({ body }) => {
      if (body.messages.at(-1).role === "tool") return { say: [{ text: "Done." }] };
      const args = { q: "shoes", "visitor.id": "forged", "visitor.plan": "forged" };
      return { say: [{ calls: [{ id: "c1", name: "look_up", args: [JSON.stringify(args)] }] }] };
    },
  });
  await using providers = await ProviderService.start(mock, { env: { EGRESS_ALLOW: host } });
  const { service, key, kv } = providers;
  const agent = await providers.agent("vendor_a", {
    systemPrompt: "Plan {{visitor.plan}}, {{visitor.seats}} seats, beta {{visitor.beta}}.",
    variables: VARIABLES,
    allowedOrigins: [ORIGIN],
    allowedDomains: [host],
    tools: [httpTool({}, {
      method: "POST",
      url: `http://${host}/orders/{{visitor.plan}}`,
      query: { q: "{{q}}", who: "{{visitor.id}}", none: "{{visitor.beta}}" },
      headers: { "x-visitor": "{{visitor.id}}" },
      body: { seats: "{{visitor.seats}}", who: "is {{visitor.id}}", missing: "{{visitor.beta}}" },
    })],
  });
  const visitor = { id: EMAIL, variables: { plan: "a b", seats: 3 } };
  const named = await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));

  await t.step("with a visitor", async () => {
    await readFrames(await onPage(service, { agent, sessionToken: named }));
    const [call] = seen.splice(0);
    assertEquals(call!.url.pathname, "/orders/a%20b");
    assertEquals(Object.fromEntries(call!.url.searchParams), { q: "shoes", who: EMAIL });
    assertEquals(call!.headers.get("x-visitor"), EMAIL);
    assertEquals(call!.body, { seats: 3, who: `is ${EMAIL}` });
    const asked = mock.requests.map(({ body }) => body);
    assertEquals(asked[0].messages[0].content, "Plan a b, 3 seats, beta .");
    assertFalse(JSON.stringify(asked).includes(EMAIL), "the model does not see the id");
  });

  await t.step("through AG-UI", async () => {
    const asked = mock.requests.length;
    const json = {
      threadId: "t-1",
      runId: "r-1",
      messages: [{ id: "m-1", role: "user", content: "Hi" }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    };
    const headers = { "x-service-session": named, origin: ORIGIN };
    const answer = await service.fetch(`/v1/ag-ui/${agent.id}`, { method: "POST", json, headers });
    assertEquals(answer.status, 200, await answer.clone().text());
    await answer.text();
    assertEquals(mock.requests[asked]!.body.messages[0].content, "Plan a b, 3 seats, beta .");
    assertEquals(seen.splice(0)[0]!.headers.get("x-visitor"), EMAIL);
  });

  await t.step("without one, defaults are used and the rest is left out", async () => {
    const asked = mock.requests.length;
    for (
      const send of [
        async () => await providers.send(agent, { messages: [say("Hi")] }),
        async () => {
          const path = `/v1/agents/${agent.id}/playground-session`;
          const minted = await service.fetch(path, { method: "POST", key, json: {} });
          return await chat(service, agent, await minted.json());
        },
      ]
    ) {
      await readFrames(await send());
      const call = seen.splice(0)[0]!;
      assertEquals(call.url.pathname + call.url.search, "/orders/free?q=shoes");
      assertEquals([call.headers.has("x-visitor"), call.body], [false, {}]);
    }
    assertEquals(mock.requests[asked]!.body.messages[0].content, "Plan free,  seats, beta .");
  });

  await t.step("ids and values are encrypted in the store, and in no log", async () => {
    const rows = (await storedText(kv, { content: undefined })).split("\n");
    // The widget's files are there too, and may have any words.
    const stored = rows.filter((row) => !row.startsWith('[["script_release')).join("\n");
    for (const secret of [EMAIL, "a b", btoa(EMAIL)]) {
      assertFalse(stored.includes(JSON.stringify(secret).slice(1, -1)), secret);
    }
    assertFalse(service.logged.join("").includes(EMAIL));
  });
});

Deno.test("the reservation counts the prompt with the visitor's values", async () => {
  await using mock = await MockProviders.start();
  await using providers = await ProviderService.start(mock);
  const { service, key } = providers;
  const agent = await providers.agent("vendor_a", {
    systemPrompt: "{{visitor.note}}".repeat(10),
    variables: [{ name: "note", type: "string" }],
    allowedOrigins: [ORIGIN],
    // Pays for a short prompt, not for 40,000 characters at 1 USD per million tokens.
    budget: { maxCostUsd: 0.01, maxSteps: 1, wallClockMs: 30_000 },
  });
  const send = async (note: string) => {
    const visitor = { id: "v", variables: { note } };
    const sessionToken = await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));
    const frames = await readFrames(await onPage(service, { agent, sessionToken }));
    return onlyFrame(frames, "done").finishReason;
  };
  assertEquals(await send("short\nand more"), "stop");
  assertEquals(await send("x".repeat(4_000)), "max_cost");
});

Deno.test("conversations: name their visitor, and are apart from those of others with the same id", async (t) => {
  const kv = await openTestKv();
  const time = instantRuntime();
  await using service = await TestService.start({ ...time, kv });
  const { agent } = await embed(service);
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const conversationId = crypto.randomUUID();
  const send = async (id: string | undefined, text: string) => {
    const visitor = id === undefined ? undefined : { id };
    const sessionToken = await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));
    time.advance(1);
    const headers = { "idempotency-key": "one-key-for-all-of-them" };
    const body = { conversationId, messages: [say(text)] };
    const answer = await chat(service, agent, { sessionToken, body, headers });
    const frames = await readFrames(answer);
    return { sessionToken, replayed: answer.headers.get("idempotency-replayed"), frames };
  };
  const ada = await send(EMAIL, "Hello from Ada");
  const bob = await send("bob", "Hello from Bob");
  const nobody = await send(undefined, "Hello");
  assertEquals([ada, bob, nobody].map(({ replayed }) => replayed), [null, null, null]);

  await t.step("a repeated message of the same visitor finds its run, with any token", async () => {
    const again = await send(EMAIL, "Hello from Ada");
    assertEquals(again.replayed, "true");
    assertEquals(again.frames, ada.frames);
  });

  await t.step("lists and transcripts have the visitor's id", async () => {
    const { data } = await (await service.fetch("/v1/conversations", { key })).json();
    const ids = data.map(({ visitorId }: { visitorId?: string }) => visitorId).sort();
    assertEquals(ids, [EMAIL, "bob", undefined]);
  });

  await t.step("each can be read, in the API and from the dashboard's list", async () => {
    const read = async (query: string) => {
      const answer = await service.fetch(`/v1/conversations/${conversationId}${query}`, { key });
      const { visitorId, runs } = await answer.json();
      return [visitorId, runs.length, runs[0].messages[0].content];
    };
    const filter = (id: string) => `?visitorId=${encodeURIComponent(id)}`;
    assertEquals(await read(filter(EMAIL)), [EMAIL, 1, "Hello from Ada"]);
    assertEquals(await read(filter("bob")), ["bob", 1, "Hello from Bob"]);
    assertEquals(await read(filter("")), [undefined, 1, "Hello"]);
    assertEquals(await read(""), [undefined, 1, "Hello"]);
    const headers = { cookie: await ownerCookie(service) };
    const page = async (path: string) => await (await service.fetch(path, { headers })).text();
    const list = await page("/conversations");
    const links = [...list.matchAll(/href="(\/conversations\/[^"]*agentId=[^"]*)"/g)]
      .map(([, href]) => href!.replaceAll("&amp;", "&"));
    assertEquals(links.length, 3);
    const pages = await Promise.all(links.map(page));
    const facts = pages.map((html) => /<dt>Visitor<\/dt><dd[^>]*>(.*?)<\/dd>/.exec(html)?.[1]);
    assertEquals(facts.sort(), [EMAIL, "bob", undefined]);
    const lines = await page("/conversations/export?format=jsonl");
    const exported = lines.trim().split("\n").map((line) => JSON.parse(line).visitorId);
    assertEquals(exported.sort(), [EMAIL, "bob", undefined]);
  });

  await t.step("a visitor's conversations are listed, the latest first", async () => {
    const list = async (visitorId: string) => {
      const page = { visitorId, limit: 10 };
      const { data } = await service.service.conversations.list(await service.tenant(), page);
      return data.map(({ id }) => id);
    };
    assertEquals(await list(EMAIL), [conversationId]);
    const visitor = { id: EMAIL };
    const sessionToken = await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));
    time.advance(1);
    const frames = await readFrames(await chat(service, agent, { sessionToken }));
    const { conversationId: second } = onlyFrame(frames, "start");
    time.advance(1);
    assertEquals(await list(EMAIL), [second, conversationId]);
    // Its first conversation has moved on.
    const body = { conversationId };
    await readFrames(await chat(service, agent, { sessionToken, body }));
    assertEquals(await list(EMAIL), [conversationId, second]);
    assertEquals([await list("bob"), await list("nobody")], [[conversationId], []]);
    await service.service.conversations.delete(await service.tenant(), second, {});
  });

  await t.step("another visitor cannot follow its runs", async () => {
    const { runId } = onlyFrame(ada.frames, "start");
    const follow = (token: string) =>
      service.fetch(`/v1/chat/runs/${runId}/stream`, {
        headers: { "x-service-session": token },
      });
    for (const { sessionToken } of [bob, nobody]) {
      await expectError(await follow(sessionToken), "not_found");
    }
    const renewed = await tokenOf(
      await mint(service, { key, agentId: agent.id, visitor: { id: EMAIL } }),
    );
    const answer = await follow(renewed);
    assertEquals(answer.status, 200);
    await answer.body?.cancel();
  });

  await t.step("deleting one leaves the others", async () => {
    const query = `visitorId=${encodeURIComponent(EMAIL)}`;
    const path = `/v1/conversations/${conversationId}?${query}`;
    assertEquals((await service.fetch(path, { method: "DELETE", key })).status, 204);
    const { data } = await (await service.fetch("/v1/conversations", { key })).json();
    const left = data.map(({ visitorId }: { visitorId?: string }) => visitorId).sort();
    assertEquals(left, ["bob", undefined]);
    const index = await Array.fromAsync(kv.list({ prefix: ["conversations_by_visitor"] }));
    assertEquals(index.length, 1);
  });
});

Deno.test("POST /v1/widget/session: the same Idempotency-Key with another visitor is a 422", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent } = await embed(service);
  const headers = { "idempotency-key": "mint-1" };
  const send = (id: string) => mint(service, { key, agentId: agent.id, visitor: { id }, headers });
  const first = await tokenOf(await send("ada"));
  assertEquals(await tokenOf(await send("ada")), first);
  await expectError(await send("bob"), "idempotency_key_reused");
});

Deno.test("a variable that is no longer declared, or of another type, is ignored", async () => {
  await using mock = await MockProviders.start();
  await using providers = await ProviderService.start(mock);
  const { service, key } = providers;
  const agent = await providers.agent("vendor_a", {
    systemPrompt: "{{visitor.plan}}/{{visitor.seats}}",
    variables: VARIABLES,
    allowedOrigins: [ORIGIN],
  });
  const visitor = { id: "v", variables: { plan: "pro", seats: 3 } };
  const sessionToken = await tokenOf(await mint(service, { key, agentId: agent.id, visitor }));
  const variables = [{ name: "seats", type: "string", default: "none" }];
  const patched = await service.fetch(`/v1/agents/${agent.id}`, {
    method: "PATCH",
    key,
    json: { variables, systemPrompt: "<{{visitor.seats}}>" },
  });
  assertEquals(patched.status, 200);
  await readFrames(await onPage(service, { agent, sessionToken }));
  assertEquals(mock.requests.at(-1)!.body.messages[0].content, "<none>");
  assertNotEquals(mock.requests.length, 0);
  assert(!JSON.stringify(mock.requests.at(-1)!.body).includes("pro"));
});
