/** Agents as files, from a folder to a service and back. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { planFolder } from "@/cli/agents/apply_folder.ts";
import { loadFolder } from "@/cli/agents/folder.ts";
import { ServiceClient } from "@/cli/service_client.ts";
import { fullAgentBody } from "./support/agent_bodies.ts";
import { agentFile, MODEL, openAgentFolders } from "./support/agent_folders.ts";
import { expectJson } from "./support/expect_response.ts";
import { agentBody } from "./support/service.ts";

const PROMPT = "You help.\n\nBe brief:\n- one paragraph\n- no lists\n";

/** Everything that refers to something else. */
const SHOP = {
  "agents/shop.yaml": agentFile("shop", {
    systemPrompt: PROMPT,
    knowledgeBase: "handbook",
    budget: { maxSteps: 4 },
    tools: [{ type: "agent", name: "billing", description: "Asks it.", agent: "billing" }],
  }),
  "agents/billing.yaml": agentFile("billing"),
  "knowledge/handbook.yaml": { key: "handbook", name: "Handbook", documents: "handbook" },
  "knowledge/handbook/returns.md": "# Returns\n\nWithin 30 days.\n",
  "knowledge/handbook/shipping/norway.md": "# Norway\n\nWe ship there.\n",
  "test-sets/returns.yaml": {
    ...{ key: "returns", name: "Returns", agent: "shop", threshold: 0.9 },
    cases: [
      { question: "May I return it?", expectations: [{ type: "contains", text: "30 days" }] },
      { name: "Who", question: "Who are you?", expectations: [] },
    ],
  },
};

Deno.test("agents apply: creates everything with its references; applied again it writes nothing", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  const first = await on.apply("shop");
  assertEquals(first.code, 0, first.out);
  assertStringIncludes(first.out, "Plan: 7 to create, 0 to change, 0 to delete.");
  const again = await on.apply("shop");
  assertEquals([again.code, again.writes], [0, []], again.out);
  assertStringIncludes(again.out, "Nothing to change");

  const { data: named } = await expectJson(await on.call("GET", "/configuration/keys"), 200);
  const id = Object.fromEntries(named.map((one: Record<string, string>) => [one.key, one.id]));
  const shop = await expectJson(await on.call("GET", `/agents/${id.shop}`), 200);
  assertEquals([shop.knowledgeBaseId, shop.tools[0].agentId], [id.handbook, id.billing]);
  assertEquals(shop.systemPrompt, PROMPT);
  assertEquals(shop.budget, { maxCostUsd: 0.25, maxSteps: 4, wallClockMs: 60_000 });
  const set = await expectJson(await on.call("GET", `/test-sets/${id.returns}`), 200);
  assertEquals([set.agentId, set.cases], [id.shop, 2]);
  const path = `/knowledge-bases/${id.handbook}/documents`;
  const { data: documents } = await expectJson(await on.call("GET", path), 200);
  const titles = documents.map(({ title }: { title: string }) => title).sort();
  assertEquals(titles, ["returns.md", "shipping/norway.md"]);
});

Deno.test("agents export: applying it anywhere changes nothing, and creates the same elsewhere", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  await on.apply("shop");
  await on.export("exported");
  for (const folder of ["exported", "shop"]) {
    const { code, writes, out } = await on.apply(folder);
    // The demo agent has no key before the export.
    const isKey = writes.every((one) => one.includes("?adopt="));
    assertEquals([code, isKey], [0, true], out);
  }
  await on.export("again");
  for (const file of ["agents/shop.yaml", "knowledge/handbook.yaml", "test-sets/returns.yaml"]) {
    assertEquals(await on.read(`again/${file}`), await on.read(`exported/${file}`));
  }
  const text = await on.read("exported/agents/shop.yaml");
  assertStringIncludes(text, `$schema=${on.address.url}/schemas/agent.json`);
  assertStringIncludes(text, "systemPrompt: |\n  You help.\n\n  Be brief:\n");
  assertEquals(/allowedDomains|maxCostUsd|id:/.test(text), false, text);

  await using other = await openAgentFolders();
  await Deno.rename(`${on.root}/exported`, `${other.root}/exported`);
  assertEquals((await other.apply("exported")).code, 0);
  assertEquals((await other.apply("exported")).writes, []);
});

Deno.test("agents export: what the dashboard made gets its key once, in every detail and without secrets", async () => {
  await using on = await openAgentFolders();
  await expectJson(await on.call("POST", "/agents", { json: fullAgentBody() }), 201);
  const same = { ...agentBody(), name: "Ünïcode & more!", followUps: false, allowedOrigins: [] };
  for (let n = 0; n < 2; n++) {
    await expectJson(await on.call("POST", "/agents", { json: same }), 201);
  }
  const base = await expectJson(
    await on.call("POST", "/knowledge-bases", { json: { name: "Base" } }),
    201,
  );
  const titles = [
    "Returns",
    "returns",
    "../../escape.md",
    "a/b.md",
    "a",
    ".hidden.md",
    "x\u2028.md",
  ];
  for (const title of titles) {
    const json = { title, content: `# ${title}`, mediaType: "text/markdown" };
    await expectJson(await on.call("POST", `/knowledge-bases/${base.id}/documents`, { json }), 201);
  }
  const { unkeyed } = await on.export("all");
  assertEquals(unkeyed, 5, "with the demo agent");
  const first = await on.apply("all");
  assertEquals(first.code, 0, first.out);
  assert(first.writes.length === 5 && first.writes.every((one) => one.includes("?adopt=")));
  assertEquals((await on.apply("all")).writes, []);
  const names = await Array.fromAsync(Deno.readDir(`${on.root}/all/agents`), ({ name }) => name);
  assert(
    names.includes("unicode-more.yaml") && names.includes("unicode-more-2.yaml"),
    String(names),
  );
  assertEquals(await Array.fromAsync(Deno.readDir(on.root), ({ name }) => name), ["all"]);
});

Deno.test("agents export --force: keeps the names of files, and a read-only key is enough to compare", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", { "agents/the-shop.yml": agentFile("shop") });
  await on.write("shop", { "agents/billing.json": JSON.stringify(agentFile("billing")) });
  await on.apply("shop");
  const { id } = (await expectJson(await on.call("GET", "/configuration/keys"), 200)).data[1];
  const json = { name: "By hand" };
  await expectJson(await on.call("PATCH", `/agents/${id}`, { json }), 200);
  await on.export("shop", true);
  assertStringIncludes(await on.read("shop/agents/the-shop.yml"), "name: By hand\n");
  assertEquals(JSON.parse(await on.read("shop/agents/billing.json")).key, "billing");
  const names = await Array.fromAsync(Deno.readDir(`${on.root}/shop/agents`), ({ name }) => name);
  assertEquals(names.sort(), ["billing.json", "demo-agent.yaml", "the-shop.yml"]);
  const key = await on.service.key(["agents:read", "knowledge:read"]);
  const reader = new ServiceClient({ ...on.address, apiKey: key });
  const folder = await loadFolder(`${on.root}/shop`);
  const { plan } = await planFolder(folder, { client: reader, prune: true });
  assertEquals(plan.steps.map(({ what }) => what), ["agents/demo-agent"]);
});

Deno.test("agents diff: a document that could not be read is a warning", async () => {
  await using on = await openAgentFolders();
  await on.write("docs", {
    "knowledge/a.yaml": { key: "a", name: "A", documents: "a" },
    "knowledge/a/broken.pdf": "%PDF-1.7\nnothing",
  });
  await on.apply("docs");
  await on.service.service.documents.whenIdle();
  const { out, writes } = await on.apply("docs");
  assertEquals(writes, []);
  assertStringIncludes(out, "warning: knowledge-bases/a/documents/broken.pdf cannot be searched: ");
});

Deno.test("agents diff: field by field, and a rename stays the same agent", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  await on.apply("shop");
  await on.write("shop", {
    "agents/shop.yaml": {
      ...SHOP["agents/shop.yaml"],
      name: "Renamed",
      systemPrompt: PROMPT.replace("one paragraph", "two paragraphs"),
      modelPolicy: { ...MODEL, temperature: 0.2 },
      knowledgeBase: undefined,
    },
    "knowledge/handbook/returns.md": "# Returns\n\nWithin 60 days.\n",
  });
  const text = await on.diff("shop");
  for (
    const line of [
      "~ agents/shop",
      '    name: "shop" -> "Renamed"',
      '    knowledgeBase: "handbook" -> (none)',
      "    modelPolicy.temperature: (none) -> 0.2",
      "      - - one paragraph",
      "      + - two paragraphs",
      "~ knowledge-bases/handbook/documents/returns.md",
      "Plan: 0 to create, 2 to change, 0 to delete.",
    ]
  ) assertStringIncludes(text, line);
  const { writes } = await on.apply("shop");
  assertEquals(writes.map((one) => one.split(" ")[0]), ["PUT", "PUT"]);
  assertEquals((await on.apply("shop")).writes, []);
});

Deno.test("agents apply: deletes only with --prune, and never what has no key", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  await on.apply("shop");
  const json = { ...agentBody(), name: "Made in the dashboard" };
  const { id } = await expectJson(await on.call("POST", "/agents", { json }), 201);
  for (const file of ["test-sets/returns.yaml", "knowledge/handbook/shipping/norway.md"]) {
    await Deno.remove(`${on.root}/shop/${file}`);
  }
  const kept = await on.apply("shop");
  assertEquals(kept.writes, []);
  assertStringIncludes(kept.out, "test-sets/returns is not in the folder, and stays");
  assertStringIncludes(kept.out, "documents/shipping/norway.md is not in the folder, and stays");
  const pruned = await on.apply("shop", { prune: true });
  assertStringIncludes(pruned.out, "- test-sets/returns");
  assertStringIncludes(pruned.out, "0 to create, 0 to change, 2 to delete.");
  assertEquals(pruned.code, 0, pruned.out);
  assertEquals((await on.apply("shop", { prune: true })).writes, []);
  await expectJson(await on.call("GET", `/agents/${id}`), 200);
});

Deno.test("agents apply: a change in the dashboard between plan and apply is reported, never overwritten", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  await on.apply("shop");
  const { data } = await expectJson(await on.call("GET", "/configuration/keys"), 200);
  const { id } = data.find(({ key }: { key: string }) => key === "billing");
  await on.write("shop", {
    "agents/billing.yaml": agentFile("billing", { name: "From the file" }),
  });
  const edit = async (name: string) => {
    await on.service.service.agents.patch(await on.service.tenant(), id, { patch: { name } });
  };
  // Before the lock: while the question is on the screen.
  const asked = await on.apply("shop", {
    yes: false,
    terminal: {
      confirm: async () => {
        await edit("By hand");
        return true;
      },
    },
  });
  assertEquals([asked.code, asked.writes], [1, []], asked.out);
  assertStringIncludes(asked.out, "has changed since the plan was shown");
  const current = await expectJson(await on.call("GET", `/agents/${id}`), 200);
  assertEquals(current.name, "By hand");
  // Later: each write expects the version of its plan.
  const stale = await on.call("PUT", "/configuration/agents/billing", {
    json: agentBody(),
    headers: { "if-match": `"${current.version - 1}"` },
  });
  assertEquals(stale.status, 412);
  const no = await on.apply("shop", { yes: false, terminal: { confirm: () => false } });
  assertEquals([no.code, no.writes], [1, []]);
  assertEquals((await on.apply("shop", { dryRun: true })).writes, []);
  // With `--yes` no plan was agreed to: the newer one is shown and applied.
  on.hooks.beforeWrite = async (write) => {
    if (write !== "PUT /configuration/lock") return;
    on.hooks.beforeWrite = undefined;
    await edit("By hand again");
  };
  const newer = await on.apply("shop");
  assertEquals([newer.code, newer.writes], [0, ["PUT /configuration/agents/billing"]]);
  assertStringIncludes(newer.out, "has changed since the plan was shown; this is the new one");
  assertStringIncludes(newer.out, "By hand again");
});

Deno.test("agents apply: one that was delayed past a take-over changes nothing more, whatever it expects", async () => {
  await using on = await openAgentFolders();
  const files = (x: string, y: string) => ({
    "agents/x.yaml": agentFile("x", { systemPrompt: x }),
    "agents/y.yaml": agentFile("y", { systemPrompt: y }),
  });
  await on.write("old", files("Old.", "Old."));
  await on.apply("old");
  await on.write("red", files("Red.", "Red."));
  // It leaves the second agent as it is, so that no version of it changes.
  await on.write("blue", files("Blue.", "Old."));
  on.hooks.beforeWrite = async (write) => {
    if (write !== "PUT /configuration/agents/y") return;
    on.hooks.beforeWrite = undefined;
    const blocked = await on.apply("blue");
    assertEquals(blocked.code, "error");
    assertStringIncludes(blocked.out, "another apply has the lock since");
    const blue = await on.apply("blue", { takeOver: true });
    assertEquals([blue.code, blue.writes], [0, ["PUT /configuration/agents/x"]], blue.out);
  };
  const red = await on.apply("red");
  assertEquals(red.code, "error");
  assertStringIncludes(red.out, "1 of 2 changes were made; apply again to continue");
  const { data } = await expectJson(await on.call("GET", "/agents"), 200);
  const prompts = data.map(({ name, systemPrompt }: Record<string, string>) =>
    `${name} ${systemPrompt}`
  );
  assertEquals(prompts.filter((one: string) => /^[xy] /.test(one)).sort(), ["x Blue.", "y Old."]);
});

Deno.test("agents apply: an error in the middle leaves the rest for the next apply", async () => {
  await using on = await openAgentFolders();
  await on.write("shop", SHOP);
  on.hooks.beforeWrite = (write) =>
    write.includes("agents/shop")
      ? Promise.reject(new Error("the line is dead"))
      : Promise.resolve();
  const failed = await on.apply("shop");
  assertEquals(failed.code, "error");
  assertStringIncludes(failed.out, "agents/shop: the line is dead. 4 of 7 changes were made");
  on.hooks.beforeWrite = undefined;
  const rest = await on.apply("shop");
  assertStringIncludes(rest.out, "Plan: 3 to create, 0 to change, 0 to delete.");
  assertEquals([rest.code, (await on.apply("shop")).writes], [0, []], rest.out);
});
