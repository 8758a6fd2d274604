/** An agent's appearance over /v1, for pages, and its share link. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { chat, ORIGIN } from "./support/widget_calls.ts";

const PIXEL = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const APPEARANCE = {
  title: "Shop help",
  avatar: "🛍️",
  accent: "#5b3fc4",
  theme: "dark",
  position: "left",
  feedback: "off",
  wide: "off",
  sound: "on",
  limits: "on",
  voice: "off",
  history: "off",
  greeting: "Hello!",
  suggestions: ["Where is my order?", "Opening hours"],
  lang: "de",
  privacyText: "Stored for 30 days.",
  privacyUrl: "https://shop.example.com/privacy",
};

async function open() {
  const kv = await openTestKv();
  const service = await TestService.start({ env: { SETUP_TOKEN }, kv });
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], appearance: APPEARANCE });
  const path = `/v1/agents/${agent.id}`;
  const patch = (json: unknown) => service.fetch(path, { method: "PATCH", key, json });
  const shown = async () =>
    await (await service.fetch(`/widget/${agent.id}/appearance.json`)).json();
  return {
    ...{ kv, service, key, agent, patch, shown },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

Deno.test("PATCH /v1/agents: an appearance is replaced as a whole, cleared by null, and versioned", async () => {
  await using on = await open();
  const { service, key, agent, patch } = on;
  assertEquals(agent.appearance, APPEARANCE as typeof agent.appearance);
  const changed = await expectJson(await patch({ appearance: { avatar: PIXEL } }), 200);
  assertEquals([changed.appearance, changed.version], [{ avatar: PIXEL }, 2]);
  const logo = { logo: PIXEL };
  assertEquals((await expectJson(await patch({ appearance: logo }), 200)).appearance, logo);
  const cleared = await expectJson(await patch({ appearance: null }), 200);
  assertEquals("appearance" in cleared, false);
  const first = await service.fetch(`/v1/agents/${agent.id}/versions/1`, { key });
  assertEquals((await first.json()).appearance, APPEARANCE);
});

Deno.test("PATCH /v1/agents: an invalid appearance is 400 with the path of each issue", async () => {
  await using on = await open();
  const rejected: [Record<string, unknown>, string][] = [
    [{ title: "" }, "appearance.title"],
    [{ title: "x".repeat(65) }, "appearance.title"],
    [{ accent: "red" }, "appearance.accent"],
    [{ avatar: "AB" }, "appearance.avatar"],
    [{ avatar: "https://evil.example/a.png" }, "appearance.avatar"],
    [{ avatar: "data:image/svg+xml;base64,PHN2Zz4=" }, "appearance.avatar"],
    [{ avatar: "data:image/png;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+PC9zdmc+" }, "appearance.avatar"],
    [{ avatar: `${PIXEL}${"A".repeat(12_000)}` }, "appearance.avatar"],
    [{ logo: "S" }, "appearance.logo"],
    [{ logo: "data:image/svg+xml;base64,PHN2Zz4=" }, "appearance.logo"],
    [{ logo: `${PIXEL}${"A".repeat(16_000)}` }, "appearance.logo"],
    ...["wide", "sound", "limits", "voice", "history"].map((
      name,
    ): [Record<string, unknown>, string] => [{ [name]: true }, `appearance.${name}`]),
    [{ offers: ["images"] }, "appearance.offers"],
    [{ suggestions: Array(5).fill("Why?") }, "appearance.suggestions"],
    [{ suggestions: ["a|b"] }, "appearance.suggestions.0"],
    [{ lang: "xx" }, "appearance.lang"],
    [{ privacyUrl: "javascript:alert(1)" }, "appearance.privacyUrl"],
    [{ sessionEndpoint: "https://evil.example" }, "appearance.sessionEndpoint"],
  ];
  for (const [appearance, path] of rejected) {
    const error = await expectError(await on.patch({ appearance }), "schema_validation_failed");
    const { issues } = error.details as { issues: { path: string }[] };
    assertEquals(
      issues.map((issue) => issue.path),
      [path],
      JSON.stringify(appearance).slice(0, 80),
    );
  }
});

Deno.test("GET /widget/:agent/appearance.json: any page may read it; without one it is {}, as for unknown agents", async () => {
  await using on = await open();
  const { service, agent, patch, shown } = on;
  const answer = await service.fetch(`/widget/${agent.id.toUpperCase()}/appearance.json`);
  assertEquals(answer.headers.get("access-control-allow-origin"), "*");
  assertMatch(answer.headers.get("cache-control") ?? "", /^public, max-age=60\b/);
  assertEquals(await answer.json(), APPEARANCE);
  await (await patch({ appearance: {}, name: "Renamed" })).body?.cancel();
  assertEquals(await shown(), { title: "Renamed" });
  await (await patch({ name: "Renamed again" })).body?.cancel();
  assertEquals(await shown(), { title: "Renamed again" });
  await (await patch({ appearance: null })).body?.cancel();
  assertEquals(await shown(), {});
  for (const id of [crypto.randomUUID(), "x"]) {
    const unknown = await service.fetch(`/widget/${id}/appearance.json`);
    assertEquals([unknown.status, await unknown.json()], [200, {}]);
  }
});

Deno.test("POST /v1/widget/session: the answer has the agent's appearance, and no other field", async () => {
  await using on = await open();
  const { service, key, agent, patch } = on;
  const mint = async () => {
    const options = { method: "POST", key, json: { agentId: agent.id } };
    const headers = { origin: ORIGIN };
    return await (await service.fetch("/v1/widget/session", { ...options, headers })).json();
  };
  assertEquals((await mint()).appearance, APPEARANCE);
  await (await patch({ appearance: null })).body?.cancel();
  assertEquals(Object.keys(await mint()).sort(), ["expiresAt", "messageCap", "sessionToken"]);
});

const OFFERS = ["images", "documents", "handoff"];
const HANDOFF = { enabled: true, by: ["visitor"], message: "We are coming." };
/** Settings of an agent, and what it offers with them. */
const OFFERED: [Record<string, unknown>, string[] | undefined][] = [
  [{ attachments: { images: true, documents: true }, handoff: HANDOFF }, OFFERS],
  [{ attachments: { images: true, documents: false } }, ["images"]],
  [{ handoff: { ...HANDOFF, by: ["model", "visitor"] } }, ["handoff"]],
  [{ handoff: { ...HANDOFF, by: ["model"] } }, undefined],
  [{ handoff: { ...HANDOFF, enabled: false } }, undefined],
  [{ attachments: {} }, undefined],
];

Deno.test("offers: what the settings allow, in the public appearance and in each mint, with and without a look", async () => {
  await using on = await open();
  const { service, key, agent, patch, shown } = on;
  const minted = async () => {
    const json = { agentId: agent.id };
    const call = { method: "POST", key, json, headers: { origin: ORIGIN } };
    return (await (await service.fetch("/v1/widget/session", call)).json()).appearance;
  };
  for (const [settings, offers] of OFFERED) {
    const all = { attachments: null, handoff: null, ...settings };
    for (const appearance of [APPEARANCE, null]) {
      await expectJson(await patch({ ...all, appearance }), 200);
      const expected = { ...appearance, ...offers && { offers } };
      assertEquals(await shown(), expected, JSON.stringify(settings));
      const isNothing = Object.keys(expected).length === 0;
      assertEquals(await minted(), isNothing ? undefined : expected);
    }
  }
});

Deno.test("GET /widget/:agent/appearance.json: an agent that offers nothing is answered as ever, byte for byte", async () => {
  await using on = await open();
  const { kv, service, agent, patch } = on;
  const bytes = async () =>
    await (await service.fetch(`/widget/${agent.id}/appearance.json`)).text();
  assertEquals(await bytes(), JSON.stringify(APPEARANCE));
  await expectJson(await patch({ appearance: null, attachments: { images: true } }), 200);
  assertEquals(await bytes(), `{"offers":["images"]}`);
  await expectJson(await patch({ attachments: null }), 200);
  assertEquals(await bytes(), "{}");
  assertEquals(await Array.fromAsync(kv.list({ prefix: ["appearances"] })), []);
});

Deno.test("GET /widget/:agent/appearance.json: the largest appearance fits into one record and 64 KiB", async () => {
  await using on = await open();
  const image = (length: number) => {
    const start = PIXEL.slice(0, 100);
    return start +
      "A".repeat(length - start.length - (length - "data:image/png;base64,".length) % 4);
  };
  const appearance = {
    ...APPEARANCE,
    ...{ title: "漢".repeat(64), avatar: image(12_000), logo: image(16_000) },
    ...{ greeting: "漢".repeat(300), privacyText: "漢".repeat(200) },
    suggestions: Array(4).fill("漢".repeat(80)),
    privacyUrl: `https://shop.example.com/${"x".repeat(2_000)}`,
  };
  const settings = { attachments: { images: true, documents: true }, handoff: HANDOFF };
  await expectJson(await on.patch({ appearance, ...settings }), 200);
  const answer = await on.service.fetch(`/widget/${on.agent.id}/appearance.json`);
  const body = new Uint8Array(await answer.arrayBuffer());
  assert(body.length > 30_000 && body.length < 40_000, `${body.length} bytes`);
  assertEquals(JSON.parse(new TextDecoder().decode(body)), { ...appearance, offers: OFFERS });
});

async function shared(service: TestService, id: string) {
  const owner = await Dashboard.setUp(service);
  const path = `/agents/${id}/appearance`;
  const set = async (state: "on" | "off") =>
    assertEquals((await owner.post(`${path}/share`, { state })).status, 303);
  const link = async () => {
    const html = await (await owner.get(path)).text();
    return new RegExp(`${service.url}(/chat/[\\w-]+)`).exec(html)?.[1];
  };
  return { owner, set, link };
}

Deno.test("/chat/:share: off until switched on; its page may not be framed or indexed", async () => {
  await using on = await open();
  const { service, agent } = on;
  const { set, link } = await shared(service, agent.id);
  assertEquals(await link(), undefined);
  await set("on");
  const path = (await link())!;
  assertMatch(path, /^\/chat\/[\w-]{22}$/);
  const page = await service.fetch(path);
  assertEquals(page.status, 200);
  assertStringIncludes(page.headers.get("content-security-policy")!, "frame-ancestors 'none'");
  assertEquals(page.headers.get("x-frame-options"), "DENY");
  assertEquals(page.headers.get("x-robots-tag"), "noindex, nofollow");
  const html = await page.text();
  assertStringIncludes(html, "<title>Shop help</title>");
  assertStringIncludes(html, `<html lang="de">`);
  const guesses = ["/chat/AAAAAAAAAAAAAAAAAAAAAA", `/chat/${agent.id}`, `${path}x`, `${path}%00`];
  for (const guess of [...guesses, `/chat/${"a".repeat(5_000)}`, "/chat/__proto__"]) {
    const missing = await service.fetch(guess);
    assertEquals(missing.status, 404, guess);
    await missing.body?.cancel();
  }
});

Deno.test("/agents/:id/appearance: only this page may show frames, and only it may frame the preview", async () => {
  await using on = await open();
  const { service, agent } = on;
  const owner = await Dashboard.setUp(service);
  const policyOf = async (path: string) => {
    const answer = await owner.get(path);
    await answer.body?.cancel();
    return answer.headers.get("content-security-policy") ?? "";
  };
  const path = `/agents/${agent.id}`;
  assertStringIncludes(await policyOf(`${path}/appearance`), "frame-src 'self'");
  for (const other of [path, `${path}/embed`, "/home"]) {
    assert(!(await policyOf(other)).includes("frame-src"), other);
  }
  assertStringIncludes(await policyOf(`${path}/appearance/preview`), "frame-ancestors 'self'");
  const stranger = await service.fetch(`${path}/appearance/preview`, { redirect: "manual" });
  assertEquals([stranger.status, await stranger.text()], [303, ""]);
});

Deno.test("/chat/:share/session: mints for its own page only; switching off or replacing ends its chats", async () => {
  await using on = await open();
  const { service, agent } = on;
  const { owner, set, link } = await shared(service, agent.id);
  await set("on");
  const path = (await link())!;
  const mint = (at: string, origin?: string) =>
    service.fetch(`${at}/session`, { method: "POST", headers: origin ? { origin } : {} });
  for (const origin of ["https://evil.example", "null", undefined]) {
    await expectError(await mint(path, origin), "origin_not_allowed");
  }
  const talk = async (sessionToken: string, origin = service.url) => {
    const answer = await chat(service, agent, { sessionToken, headers: { origin } });
    const text = await answer.text();
    return answer.status === 200 ? 200 : JSON.parse(text).code;
  };
  const first = (await expectJson(await mint(path, service.url), 201)).sessionToken;
  assertEquals(await talk(first), 200);
  const stored = await service.service.conversations.list(await service.tenant(), { limit: 5 });
  assertEquals(stored.data.map(({ source }) => source), ["share"]);
  // A copied token is of no use on another page, the agent's own sites included.
  assertEquals(await talk(first, ORIGIN), "origin_not_allowed");
  await set("on");
  const replaced = (await link())!;
  assert(replaced !== path);
  assertEquals(await talk(first), "session_token_invalid");
  await expectError(await mint(path, service.url), "not_found");
  const second = (await expectJson(await mint(replaced, service.url), 201)).sessionToken;
  assertEquals(await talk(second), 200);
  await set("off");
  assertEquals(await link(), undefined);
  assertEquals(await talk(second), "session_token_invalid");
  const audit = await (await owner.get("/audit")).text();
  for (const action of ["Switched on", "Replaced", "Switched off"]) {
    assertStringIncludes(audit, `${action} share link of agent`);
  }
});

Deno.test("DELETE /v1/agents: nothing of its appearance and share link is left", async () => {
  await using on = await open();
  const { kv, service, key, agent, shown } = on;
  const { set, link } = await shared(service, agent.id);
  await set("on");
  const path = (await link())!;
  const gone = await service.fetch(`/v1/agents/${agent.id}`, { method: "DELETE", key });
  assertEquals(gone.status, 204);
  assertEquals(await shown(), {});
  const page = await service.fetch(path);
  assertEquals(page.status, 404);
  await page.body?.cancel();
  for (const prefix of [["appearances"], ["shares"], ["shares_by_agent"]]) {
    assertEquals(await Array.fromAsync(kv.list({ prefix })), [], prefix[0]);
  }
});

Deno.test("/agents/:id/appearance: rejected values stay in the form, and another's appearance is not overwritten", async () => {
  await using on = await open();
  const { service, agent, patch } = on;
  const owner = await Dashboard.setUp(service);
  const path = `/agents/${agent.id}/appearance`;
  const fields = { version: "1", title: "New title", accent: "purple", suggestions: "One\n\nTwo" };
  const rejected = await owner.post(path, fields);
  assertEquals(rejected.status, 400);
  const html = await rejected.text();
  assertStringIncludes(html, "Enter a color such as #0d6e63.");
  assertStringIncludes(html, `value="New title"`);
  await (await patch({ name: "Renamed" })).body?.cancel();
  assertEquals((await owner.post(path, { ...fields, accent: "" })).status, 303);
  const stored = await service.service.agents.get(await service.tenant(), agent.id);
  assertEquals([stored.name, stored.appearance], ["Renamed", {
    title: "New title",
    suggestions: ["One", "Two"],
  }]);
  const late = await owner.post(path, { ...fields, accent: "", title: "Too late" });
  assertEquals(late.status, 412);
  assertStringIncludes(await late.text(), `value="Too late"`);
});

Deno.test("/agents/:id/appearance: two tabs that save the same values do not conflict", async () => {
  await using on = await open();
  const { service, agent } = on;
  const owner = await Dashboard.setUp(service);
  const path = `/agents/${agent.id}/appearance`;
  const fields = { version: "1", title: "New title", lang: "de", suggestions: "One\n\nTwo" };
  for (const _tab of [1, 2]) {
    const saved = await owner.post(path, fields);
    assertEquals([saved.status, (await saved.text()).slice(0, 20)], [303, ""]);
  }
  const cleared = { version: "2" };
  for (const _tab of [1, 2]) {
    const saved = await owner.post(path, cleared);
    assertEquals([saved.status, (await saved.text()).slice(0, 20)], [303, ""]);
  }
  const stored = await service.service.agents.get(await service.tenant(), agent.id);
  assertEquals(stored.version, 3);
});

Deno.test("/agents/new?from=: a copy looks like the original, and versions show what changed in the look", async () => {
  await using on = await open();
  const { service, agent, patch } = on;
  const owner = await Dashboard.setUp(service);
  const copy = await (await owner.get(`/agents/new?from=${agent.id}`)).text();
  assertStringIncludes(copy, `name="appearance"`);
  const fields = Object.fromEntries(
    Object.entries({ ...toFormValues(agent), name: "Copy", version: "" }),
  );
  assertEquals((await owner.post("/agents/new", fields)).status, 303);
  const { data } = await service.service.agents.search(await service.tenant(), {
    ...{ query: "Copy", limit: 1 },
  });
  assertEquals(data[0]?.appearance, agent.appearance);
  const changed = { ...APPEARANCE, title: "Other help", avatar: PIXEL };
  await (await patch({ appearance: changed })).body?.cancel();
  const html = await (await owner.get(`/agents/${agent.id}/versions/2?with=1`)).text();
  assertStringIncludes(html, "Title: Other help");
  assertStringIncludes(html, "Title: Shop help");
  assert(!html.includes("data:image"), "nobody reads the bytes of an image");
});
