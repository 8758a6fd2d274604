/** From a fresh start to an answer of a connected model, as a new operator clicks. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { catalogueEntry } from "./support/chat.ts";
import { withPage } from "./support/browser.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { OWNER } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

const MODELS = {
  data: [
    {
      id: "acme-large",
      context_length: 200_000,
      pricing: { prompt: "0.000003", completion: "0.000015" },
    },
    { id: "acme-large-2026-01-01", pricing: { prompt: "0.000003", completion: "0.000015" } },
    { id: "acme-embed", type: "embedding" },
  ],
};

/** Counts the clicks of a page. */
function clicker(page: Page) {
  let clicks = 0;
  const click = async (name: string, role: "button" | "link" = "button") => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).click();
  };
  return { click, count: () => clicks };
}

Deno.test("a fresh start: set up, connect a model, make an agent and get its answer in the widget in eight clicks and a minute", async () => {
  await using mock = await MockProviders.start({
    models: MODELS,
    otherwise: () => ({ say: [{ text: "Hello from the connected model." }] }),
  });
  await using service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  await withPage({ baseUrl: service.url }, async (page) => {
    const { click, count } = clicker(page);
    const startedAt = performance.now();
    await page.goto(`/setup?token=${SETUP_TOKEN}`);
    await page.getByLabel("Setup token").fill(SETUP_TOKEN);
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await click("Create owner account");
    await click("Connect model", "link");
    await page.getByRole("link", { name: "OpenAI-compatible" }).click();
    await page.getByLabel("Address").fill(mock.url);
    await page.getByLabel("API key").fill("sk-anything");
    await click("Connect");
    const row = page.getByRole("row").filter({ hasText: "acme-large" });
    assertEquals(
      await page.getByRole("checkbox", { name: "acme-large", exact: true }).isChecked(),
      true,
    );
    assertEquals(await row.first().getByLabel("Input $/M of acme-large").inputValue(), "3");
    assert(!(await page.locator("main").innerText()).includes("acme-embed"));
    await click("Add models");
    await page.getByText("Models added.").waitFor();
    await click("Create agent", "link");
    await page.getByLabel("Name", { exact: true }).fill("Helper");
    await page.getByLabel("System prompt").fill("Help.");
    await page.getByLabel("Model", { exact: true }).selectOption("vendor_a/acme-large");
    await click("Create agent");
    await click("Appearance", "link");
    const widget = page.frameLocator("iframe[title='Preview of the widget']").getByRole("dialog");
    await widget.getByRole("textbox").fill("Hello");
    await widget.getByRole("textbox").press("Enter");
    await widget.getByRole("log").getByText("Hello from the connected model.").waitFor();
    // And the one on the provider's card.
    assertEquals(count() + 1, 8);
    assert(performance.now() - startedAt < 60_000);
  });
});

Deno.test("/operator/providers/connect/:preset: a rejected key shows the provider's own words, and stores nothing", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = await Dashboard.setUp(service);
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using provider = Deno.serve(
    options,
    () => Response.json({ error: { message: "Incorrect API key provided." } }, { status: 401 }),
  );
  const form = {
    baseUrl: `http://127.0.0.1:${provider.addr.port}/v1`,
    apiKey: "sk-wrong-0123456789",
  };
  const answer = await operator.post("/operator/providers/connect/mistral", form);
  assertEquals(answer.status, 422);
  const html = await answer.text();
  assertStringIncludes(html, "did not accept the API key (401)");
  assertStringIncludes(html, "Incorrect API key provided.");
  assert(!html.includes("sk-wrong"));
  assertEquals(await service.service.connections.list(), []);
});

Deno.test("/operator/providers/:id/models: models are tested, added with edited prices, and given to agents", async () => {
  await using mock = await MockProviders.start({ models: MODELS });
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const { agents, catalogue, connections } = service.service;
  await connections.set("vendor_b", {
    protocol: "openai",
    baseUrl: mock.url,
    apiKey: "sk-x",
    name: "Acme",
  });
  const demo = { ...agentBody(), modelPolicy: { provider: "vendor_a" as const, model: "demo" } };
  const { id } = await agents.create(tenant, demo);
  const path = "/operator/providers/vendor_b/models";
  const page = await (await operator.get(path)).text();
  assertStringIncludes(page, "Models of Acme");
  assertStringIncludes(page, `value="${id}" checked`);
  const numbers = {
    "inputUsdPerMTok:acme-large": "2.5",
    "outputUsdPerMTok:acme-large": "10",
    "contextTokens:acme-large": "200000",
    "maxOutputTokens:acme-large": "8000",
  };
  const form = { model: "acme-large", agent: id, ...numbers };
  const blank = await operator.post(path, { ...form, "inputUsdPerMTok:acme-large": "" });
  assertEquals(blank.status, 400);
  assertStringIncludes(await blank.text(), "Enter its prices and sizes.");
  mock.next({ status: 404, body: JSON.stringify({ error: { message: "no such model" } }) });
  const unknown = await operator.post(path, form);
  assertEquals(unknown.status, 422);
  assertStringIncludes(await unknown.text(), "no such model");
  assertEquals(await catalogue.listStored(), []);
  const added = await operator.post(path, form);
  assertEquals([added.status, added.headers.get("location")], [303, "/home?notice=models_added"]);
  assertEquals(await catalogue.listStored(), [{
    vendor: "vendor_b",
    model: "acme-large",
    inputUsdPerMTok: 2.5,
    outputUsdPerMTok: 10,
    contextTokens: 200_000,
    maxOutputTokens: 8_000,
  }]);
  const { modelPolicy, version } = await agents.get(tenant, id);
  assertEquals([modelPolicy.provider, modelPolicy.model, version], ["vendor_b", "acme-large", 2]);
});

Deno.test("removing a model, or its connection, names the agents that use it", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const operator = await Dashboard.setUp(service);
  const { agents, catalogue, connections, tenants } = service.service;
  const tenant = await service.tenant();
  await connections.set("vendor_b", {
    protocol: "openai",
    baseUrl: "https://models.example/v1",
    apiKey: "sk-x",
    name: "Acme",
  });
  await catalogue.addMissing([catalogueEntry({ vendor: "vendor_b", model: "large" })]);
  const modelPolicy = { provider: "vendor_b" as const, model: "large" };
  const remove = `/operator/models/delete?${new URLSearchParams({
    vendor: "vendor_b",
    model: "large",
  })}`;
  assertStringIncludes(await (await operator.get(remove)).text(), "No agent uses it.");
  await agents.create(tenant, { ...agentBody(), name: "Main", modelPolicy });
  await agents.create(tenant, { ...agentBody(), name: "Spare", fallback: modelPolicy });
  await agents.create(tenant, { ...agentBody(), name: "Other" });
  const elsewhere = await tenants.create("Elsewhere");
  await agents.create(elsewhere.id, { ...agentBody(), name: "Secret name", modelPolicy });
  for (const path of [remove, "/operator/providers/vendor_b/delete"]) {
    const html = await (await operator.get(path)).text();
    assertStringIncludes(html, "3 agents will stop answering or lose the fallback:");
    assertStringIncludes(html, "<li>Main</li>");
    assertStringIncludes(html, "<li>Spare</li>");
    assertStringIncludes(html, "1 more, also of other tenants");
    assert(!html.includes("Secret name") && !html.includes("<li>Other</li>"));
  }
});
