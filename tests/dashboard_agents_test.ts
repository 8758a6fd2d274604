/** The agent pages as a browser without JavaScript uses them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toFormValues } from "@/lib/dashboard/agents/agent_form.ts";
import { AGENT_TEMPLATES } from "@/lib/dashboard/agents/agent_templates.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { ownerCookie } from "./support/owner.ts";
import { MAX_SCRIPT_BYTES, scriptBytes } from "./support/script_bytes.ts";
import { agentBody, TestService } from "./support/service.ts";

async function open() {
  const service = await TestService.start();
  const cookie = await ownerCookie(service);
  const tenant = await service.tenant();
  const { agents } = service.service;
  const get = (path: string) => service.fetch(path, { headers: { cookie } });
  const send = (path: string, fields: object) =>
    service.fetch(path, {
      method: "POST",
      body: new URLSearchParams({ ...fields }),
      headers: { cookie },
    });
  const add = (name: string) => agents.create(tenant, { ...agentBody(), name });
  const read = (id: string) => agents.get(tenant, id);
  return { service, agents, tenant, get, send, add, read };
}

const save = (agent: Agent, change: object) => ({ ...toFormValues(agent), ...change });

Deno.test("agent pages: every inline script has a nonce, and scripts stay under 60 KB", async (t) => {
  const { service, get, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const pages = ["/agents", "/agents?q=help", "/agents/new", `/agents/${id}`];
  const sections = ["model", "knowledge", "tools"];
  for (const tab of [...sections, "embed", "versions", "versions/1", "delete"]) {
    pages.push(`/agents/${id}/${tab}`);
  }
  for (const path of pages) {
    await t.step(path.replace(id, ":id"), async () => {
      const answer = await get(path);
      assertEquals(answer.status, 200);
      const policy = answer.headers.get("content-security-policy")!;
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      const html = await answer.text();
      // The tag for users to copy appears as escaped text, and inside a script as an island's props.
      for (const [, tag = ""] of html.matchAll(/(<script[^>]*>).*?<\/script>/gs)) {
        assert(tag.includes(`nonce="${nonce}"`) || /type="application\/json"/.test(tag), tag);
      }
      assert(!/<[^>]+\son[a-z]+="/i.test(html), "the page has an inline event handler");
      const bytes = await scriptBytes(service, html);
      assertEquals(bytes > 0, html.includes("<!--frsh:island"));
      assert(bytes < MAX_SCRIPT_BYTES);
    });
  }
});

Deno.test("GET /agents: finds agents by words of the name or by id, and escapes the query in the empty state", async () => {
  const { service, get, add } = await open();
  await using _ = service;
  const shop = await add("Shop <desk>");
  await add("Other");
  const names = async (query: string) => {
    const html = await (await get(`/agents?q=${encodeURIComponent(query)}`)).text();
    return [...html.matchAll(/class="row-link"[^>]*>([^<]+)</g)].map(([, name]) => name);
  };
  assertEquals(await names("des sho"), ["Shop &lt;desk>"]);
  assertEquals(await names(shop.id), ["Shop &lt;desk>"]);
  assertEquals(await names("nothing"), []);
  const html = await (await get(`/agents?q=${encodeURIComponent("<b>")}`)).text();
  assertStringIncludes(html, "“&lt;b>”");
});

Deno.test("POST /agents/new: every template creates an agent without changes", async (t) => {
  const { service, get, send, read } = await open();
  await using _ = service;
  for (const { id, title, values } of AGENT_TEMPLATES) {
    await t.step(title, async () => {
      const html = await (await get(`/agents/new?template=${id}`)).text();
      if (values.name !== undefined) assertStringIncludes(html, `value="${values.name}"`);
      const own = { name: "Mine", systemPrompt: "Help.", ...values };
      const fields = { ...save(await read(demoId(service)), {}), ...own, version: "" };
      const made = await send("/agents/new", fields);
      assertEquals(made.status, 303);
      assertMatch(made.headers.get("location")!, /\/agents\/[0-9a-f-]{36}\?notice=agent_created/);
    });
  }
});

Deno.test("GET /agents/new?from=: shows a copy of an agent under another name and creates nothing", async () => {
  const { service, agents, tenant, get, add } = await open();
  await using _ = service;
  const { id } = await add("Original");
  assertStringIncludes(await (await get(`/agents/new?from=${id}`)).text(), "Copy of Original");
  assertEquals((await get(`/agents/new?from=${"x".repeat(5_000)}`)).status, 200);
  assertEquals((await agents.list(tenant, { limit: 10 })).data.length, 2);
});

Deno.test("POST /agents/:id: when two admins save, the second keeps their input and sees the other's changes", async () => {
  const { service, send, add, read } = await open();
  await using _ = service;
  const agent = await add("Helper");
  const path = `/agents/${agent.id}`;
  assertEquals((await send(path, save(agent, { name: "First" }))).status, 303);
  const second = await send(path, save(agent, { name: "Second", tools: "[1" }));
  assertEquals(second.status, 400);
  const late = await send(path, save(agent, { name: "Second" }));
  assertEquals(late.status, 412);
  const html = await late.text();
  assertStringIncludes(html, `value="Second"`);
  assertStringIncludes(html, `href="${path}/versions/2?with=1"`);
  // A new tab, because going back to this page would ask to resubmit the form.
  assertMatch(html, /<a [^>]*versions\/2\?with=1" target="_blank" rel="noopener"/);
  assert(html.indexOf("Someone else changed this agent") < html.indexOf("Open current version"));
  assertMatch(html, /Removed: <\/span><code>Helper<.*Added: <\/span><code>First</s);
  assertEquals((await read(agent.id)).name, "First");
});

Deno.test("POST /agents/:id/model: saves the fields of its form only, and merges with changes of other pages", async () => {
  const { service, agents, tenant, send, add, read } = await open();
  await using _ = service;
  const agent = await add("Helper");
  const path = `/agents/${agent.id}`;
  await agents.patch(tenant, agent.id, { patch: { name: "Theirs", systemPrompt: "Theirs." } });
  const opened = { version: String(agent.version) };
  const model = { model: "vendor_a/demo", maxSteps: "3", maxOutputTokens: "99" };
  const saved = await send(`${path}/model`, { ...model, ...opened });
  assertEquals(saved.status, 303);
  assertEquals(saved.headers.get("location"), `${path}/model?notice=agent_saved`);
  const now = await read(agent.id);
  assertEquals([now.name, now.systemPrompt, now.version], ["Theirs", "Theirs.", 3]);
  assertEquals([now.budget.maxSteps, now.modelPolicy.maxOutputTokens], [3, 99]);
  assertEquals(now.budget.maxCostUsd, agent.budget.maxCostUsd);
  const clash = await send(`${path}/model`, { ...model, maxSteps: "5", ...opened });
  assertEquals(clash.status, 412);
  assertMatch(await clash.text(), /Their changes.*Steps.*Added: <\/span><code>3</s);
  const same = await send(`${path}/model`, { ...model, ...opened });
  assertEquals([same.status, (await read(agent.id)).version], [303, 3]);
  const unknown = await send(`${path}/model`, { ...model, maxSteps: "5", version: "77" });
  assertEquals(unknown.status, 412);
  await unknown.body?.cancel();
});

Deno.test("POST /agents/:id/…: saves at the same moment are merged, unless they clash", async () => {
  const { service, send, add, read } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const statuses = async (posts: [path: string, fields: object][]) => {
    const answers = await Promise.all(posts.map(([path, fields]) => send(path, fields)));
    await Promise.all(answers.map(({ body }) => body?.cancel()));
    return answers.map(({ status }) => status).sort();
  };
  const page = `/agents/${id}`;
  const prompt = { version: "1", systemPrompt: "Be brief." };
  const look = { version: "1", title: "Shop help" };
  const tools = { version: "1", allowedDomains: "api.example.com" };
  const all: [string, object][] = [
    [page, prompt],
    [page, prompt],
    [`${page}/appearance`, look],
    [`${page}/appearance`, look],
    [`${page}/tools`, tools],
  ];
  assertEquals(await statuses(all), [303, 303, 303, 303, 303]);
  const { version, systemPrompt, appearance, allowedDomains } = await read(id);
  assertEquals([systemPrompt, appearance, allowedDomains], [
    ...["Be brief.", { title: "Shop help" }, ["api.example.com"]],
  ]);
  const clash = ["One", "Two"].map((name): [string, object] => [page, { version, name }]);
  assertEquals(await statuses(clash), [303, 412]);
});

Deno.test("GET /agents/:id/…: each page of the editor has its own fields and leads to the others", async (t) => {
  const { service, get, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const variables = [0, 1, 2].flatMap((n) =>
    ["name", "type", "default", "description"].map((field) => `variables.${n}.${field}`)
  );
  const fields = {
    "": [
      "name",
      "systemPrompt",
      ...variables,
      "followUps",
      "memory",
      "memoryInstructions",
      "temperature",
    ],
    "/model": [
      "model",
      "fallback",
      "reasoningEffort",
      "topP",
      "stopSequences",
      "responseSchema",
      "attachments",
      "maxCostUsd",
      "maxSteps",
      "wallClockSeconds",
      "maxOutputTokens",
      "retentionDays",
    ],
    "/knowledge": ["knowledgeBaseId", "rerank"],
    "/tools": ["tools", "allowedDomains"],
  };
  for (const [path, names] of Object.entries(fields)) {
    await t.step(path || "/", async () => {
      const html = await (await get(`/agents/${id}${path}`)).text();
      const [form = ""] =
        /<form method="post" action="[^"]*" class="agent-form".*?<\/form>/s.exec(html) ??
          [];
      const controls = [...form.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)];
      assertEquals(controls.map(([, name]) => name), ["shown_tenant", "version", ...names]);
      assertStringIncludes(form, `action="/agents/${id}${path}"`);
      for (const tab of [...Object.keys(fields), "/embed", "/versions"]) {
        assertStringIncludes(
          html,
          `<a href="/agents/${id}${tab}" aria-current="${tab === path ? "page" : "false"}"`,
        );
      }
    });
  }
});

Deno.test("GET /agents/:id?template=: shows the template's prompt as an unsaved change", async () => {
  const { service, get, add, read } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const html = await (await get(`/agents/${id}?template=support`)).text();
  assertStringIncludes(html, "You answer customers of our company.");
  assertStringIncludes(html, `value="Helper"`);
  assertEquals((await read(id)).systemPrompt, "Be helpful.");
  const unknown = await (await get(`/agents/${id}?template=nothing`)).text();
  assertStringIncludes(unknown, "Be helpful.</textarea>");
});

Deno.test("POST /agents/:id: input for an agent deleted meanwhile can be saved as a new agent", async () => {
  const { service, agents, tenant, send, add, read } = await open();
  await using _ = service;
  const agent = await add("Helper");
  await agents.delete(tenant, agent.id);
  const typed = save(agent, { systemPrompt: "A long text." });
  const answer = await send(`/agents/${agent.id}`, typed);
  assertEquals(answer.status, 404);
  const html = await answer.text();
  assertStringIncludes(html, "This agent was deleted.");
  assertStringIncludes(html, "A long text.</textarea>");
  assertMatch(html, /<form method="post" action="\/agents\/new"/);
  const made = await send("/agents/new", { ...typed, version: "" });
  const id = /[0-9a-f-]{36}/.exec(made.headers.get("location")!)![0];
  assertEquals((await read(id)).systemPrompt, "A long text.");
});

Deno.test("POST /agents/new: a summary lists the errors with a link to each field", async () => {
  const { service, send } = await open();
  await using _ = service;
  const fields = { name: "A", systemPrompt: "B", allowedOrigins: "nonsense", maxSteps: "99" };
  const answer = await send("/agents/new", fields);
  assertEquals(answer.status, 400);
  const html = await answer.text();
  for (const [id, label] of [["allowedOrigins", "Allowed sites"], ["maxSteps", "Steps"]]) {
    assertStringIncludes(html, `<a href="#${id}">${label}</a>`);
    assertMatch(html, new RegExp(`<(input|textarea)[^>]* id="${id}"`));
  }
});

Deno.test("POST /agents/:id: a blank optional field is unset", async () => {
  const { service, agents, tenant, send, read } = await open();
  await using _ = service;
  const policy = { provider: "vendor_a", model: "demo", temperature: 1, maxOutputTokens: 9 };
  const agent = await agents.create(tenant, { ...agentBody(), modelPolicy: policy });
  const blank = { temperature: "", maxOutputTokens: "", knowledgeBaseId: "" };
  assertEquals((await send(`/agents/${agent.id}`, save(agent, blank))).status, 303);
  const { modelPolicy } = await read(agent.id);
  assertEquals(modelPolicy, { provider: "vendor_a", model: "demo" });
});

Deno.test("versions: the pages show what changed, and restoring a version creates a new one", async () => {
  const { service, agents, tenant, get, send, add, read } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  await agents.patch(tenant, id, { patch: { systemPrompt: "Be helpful.\nBe brief." } });
  const versions = await (await get(`/agents/${id}/versions`)).text();
  assertStringIncludes(versions, "Changed: System prompt");
  const html = await (await get(`/agents/${id}/versions/1`)).text();
  assertStringIncludes(html, "Be brief.");
  const restore = (version: string) => send(`/agents/${id}/versions/1`, { version });
  const stale = await restore("1");
  assertEquals(stale.status, 412);
  await stale.body?.cancel();
  assertEquals((await restore("2")).status, 303);
  const now = await read(id);
  assertEquals([now.version, now.systemPrompt], [3, "Be helpful."]);
  for (const path of ["versions/9", "versions/0", "versions/x"]) {
    const missing = await get(`/agents/${id}/${path}`);
    assertEquals(missing.status, 404, path);
    await missing.body?.cancel();
  }
});

Deno.test("POST /agents/:id/delete: requires the agent's name", async () => {
  const { service, agents, tenant, send, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const rejected = await send(`/agents/${id}/delete`, { confirmName: "helper" });
  assertEquals(rejected.status, 400);
  assertStringIncludes(await rejected.text(), "Couldn't delete.");
  assertEquals((await send(`/agents/${id}/delete`, { confirmName: "Helper" })).status, 303);
  assertEquals(await agents.find(tenant, id), undefined);
});

Deno.test("GET /agents/:id/embed: shows the pinned tag with the script's integrity hash, then the one with a token", async () => {
  const { service, get, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const html = await (await get(`/agents/${id}/embed`)).text();
  const text = html.replaceAll("&lt;", "<").replaceAll("&quot;", `"`);
  const { integrity, hash12 } = service.service.widget;
  const tags = [...text.matchAll(/<script src="([^"]+)"\s+integrity="([^"]+)"/g)];
  const shown = [...new Set(tags.map(([, src, hash]) => `${src} ${hash}`))];
  assertEquals(shown, [
    `${service.url}/widget.v1.${hash12}.js ${integrity}`,
    `${service.url}/widget.v1.js ${integrity}`,
  ]);
  assertStringIncludes(html, `/agents/${id}/embed/doctor`);
});

Deno.test("POST /agents/:id/embed: adds the origin of any address of a page, once, and removes one", async () => {
  const { service, get, send, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const sites = async () =>
    (await (await get(`/agents/${id}/embed`)).text())
      .matchAll(/<li><code>([^<]*)<\/code>/g).map(([, site]) => site).toArray();
  for (const origin of ["https://Shop.example.com/products?a=1", "shop.example.com"]) {
    assertEquals((await send(`/agents/${id}/embed`, { origin })).status, 303);
  }
  await send(`/agents/${id}/embed`, { origin: "http://localhost:3000/x" });
  assertEquals(await sites(), ["https://shop.example.com", "http://localhost:3000"]);
  for (
    const origin of ["http://shop.example.com", "ftp://x.example", "a b", "https://u@x.example"]
  ) {
    const rejected = await send(`/agents/${id}/embed`, { origin });
    assertEquals(rejected.status, 400, origin);
    const html = await rejected.text();
    assertStringIncludes(html, "Enter an address such as https://www.example.com.");
    assertStringIncludes(html, `value="${origin}"`);
  }
  assertEquals((await sites()).length, 2);
  const removed = await send(`/agents/${id}/embed`, { remove: "https://shop.example.com" });
  assertEquals(removed.headers.get("location"), `/agents/${id}/embed?notice=site_removed`);
  assertEquals(await sites(), ["http://localhost:3000"]);
});

Deno.test("GET /agents/:id/embed/plugin: is the WordPress plugin of this agent", async () => {
  const { service, get, add } = await open();
  await using _ = service;
  const { id } = await add("Helper");
  const answer = await get(`/agents/${id}/embed/plugin`);
  assertEquals(answer.headers.get("content-disposition"), 'attachment; filename="agent-chat.php"');
  const text = await answer.text();
  assertStringIncludes(text, `'agentId' => '${id}'`);
  assertStringIncludes(text, `data-session-endpoint="<?php`);
});

function demoId({ service }: TestService): string {
  return service.demoAgent!.id;
}
