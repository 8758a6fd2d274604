import { assertEquals, assertRejects } from "@std/assert";
import { agentOf } from "@/tests/support/agents.ts";
import { catalogueEntry } from "@/tests/support/chat.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { ModelAccess } from "../../billing/model_access.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { type CatalogueEntry, CatalogueStore } from "../../store/providers/catalogue_store.ts";
import { keys } from "../../store/keys/keys.ts";
import { TenantStore } from "../../store/tenants/tenant_store.ts";
import { contextWindow, resolveCandidates } from "./resolve_candidates.ts";

const TENANT = fakeUuid(801);
const ENTRIES = [
  catalogueEntry(),
  catalogueEntry({ model: "small", inputUsdPerMTok: 1, outputUsdPerMTok: 5 }),
  catalogueEntry({ model: "mixed", inputUsdPerMTok: 1, outputUsdPerMTok: 20 }),
  catalogueEntry({ model: "large", inputUsdPerMTok: 9, maxOutputTokens: 2_000 }),
];

/** The resolved policy with the names of its models. */
async function resolve(options: {
  policy?: Record<string, unknown>;
  fallback?: string;
  body?: Record<string, unknown>;
  visitor?: boolean;
  visitorOverrides?: "not_dearer" | "all" | "none";
}) {
  using kv = await Deno.openKv(":memory:");
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  await catalogue.addMissing(ENTRIES);
  const { fallback, visitorOverrides } = options;
  if (visitorOverrides !== undefined) {
    await kv.set(keys.plan(TENANT), { v: 1, models: "all", limits: {}, visitorOverrides });
  }
  const agent = agentOf({
    modelPolicy: { provider: "vendor_a", model: "mid", ...options.policy },
    ...(fallback === undefined ? {} : { fallback: { provider: "vendor_a", model: fallback } }),
  });
  const { entries, ...rest } = await resolveCandidates({
    tenant: TENANT,
    agent,
    body: { agentId: agent.id, messages: [{ role: "user", content: "hi" }], ...options.body },
    visitor: options.visitor ?? false,
    access: new ModelAccess({ catalogue, tenants: new TenantStore(kv, new FakeRuntime()) }),
  });
  return { models: entries.map((entry) => entry.model), ...rest };
}

Deno.test("resolveCandidates: the agent's policy, then its fallback", async () => {
  assertEquals(await resolve({ fallback: "small", policy: { temperature: 0 } }), {
    models: ["mid", "small"],
    maxOutputTokens: 4_096,
    settings: { temperature: 0 },
  });
});

Deno.test("resolveCandidates: omits a fallback that is no longer offered", async () => {
  assertEquals((await resolve({ fallback: "gone" })).models, ["mid"]);
});

Deno.test("resolveCandidates: a request with a key may override model, temperature and output", async () => {
  const body = { model: "large", temperature: 1, maxOutputTokens: 1_000 };
  assertEquals(await resolve({ policy: { temperature: 0 }, body }), {
    models: ["large"],
    maxOutputTokens: 1_000,
    settings: { temperature: 1 },
  });
});

Deno.test("resolveCandidates: output is limited by the catalogue", async () => {
  assertEquals((await resolve({ body: { model: "large" } })).maxOutputTokens, 2_000);
  const body = { maxOutputTokens: 16_384 };
  assertEquals((await resolve({ body })).maxOutputTokens, 8_192);
  assertEquals((await resolve({ policy: body })).maxOutputTokens, 8_192);
});

Deno.test("resolveCandidates: an override with an unknown model is a validation error", async () => {
  for (
    const [body, path] of [[{ model: "gone" }, "model"], [{ provider: "vendor_b" }, "provider"]]
  ) {
    const change = body as Record<string, unknown>;
    const error = await assertRejects(() => resolve({ body: change }), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, path);
  }
});

Deno.test("resolveCandidates: a visitor may choose a model that is not more expensive in either price", async () => {
  const choose = (model: string, more = {}) => resolve({ visitor: true, body: { model }, ...more });
  assertEquals((await choose("small")).models, ["small"]);
  assertEquals((await choose("demo")).models, ["demo"]);
  for (const model of ["large", "mixed"]) {
    const error = await assertRejects(() => choose(model), ApiError);
    assertEquals(error.code, "schema_validation_failed");
  }
  assertEquals((await choose("large", { fallback: "large" })).models[0], "large");
});

Deno.test("resolveCandidates: a visitor's output is limited by the agent", async () => {
  const policy = { maxOutputTokens: 500 };
  const ask = (maxOutputTokens: number, visitor: boolean) =>
    resolve({ policy, visitor, body: { maxOutputTokens } });
  assertEquals((await ask(900, true)).maxOutputTokens, 500);
  assertEquals((await ask(100, true)).maxOutputTokens, 100);
  assertEquals((await ask(900, false)).maxOutputTokens, 900);
});

Deno.test("resolveCandidates: a plan may allow visitors any model, but not more output", async () => {
  const visitor = { visitor: true, visitorOverrides: "all" } as const;
  const policy = { maxOutputTokens: 500 };
  const body = { model: "large", temperature: 1, maxOutputTokens: 900 };
  assertEquals(await resolve({ ...visitor, policy, body }), {
    models: ["large"],
    maxOutputTokens: 500,
    settings: { temperature: 1 },
  });
});

Deno.test("resolveCandidates: a plan may forbid visitors to override, and the error names the fields", async () => {
  const visitor = { visitor: true, visitorOverrides: "none" } as const;
  assertEquals((await resolve(visitor)).models, ["mid"]);
  const body = { provider: "vendor_a", model: "mid", temperature: 1, maxOutputTokens: 9 };
  for (const [field, value] of Object.entries(body)) {
    const error = await assertRejects(
      () => resolve({ ...visitor, body: { [field]: value } }),
      ApiError,
    );
    const issues = error.details?.issues as { path: string; code: string }[];
    assertEquals(issues.map(({ path, code }) => [path, code]), [[field, "override_not_allowed"]]);
  }
  assertEquals((await resolve({ ...visitor, visitor: false, body: { model: "large" } })).models, [
    "large",
  ]);
});

Deno.test("resolveCandidates: a request that chooses the agent's fallback tries it once", async () => {
  assertEquals((await resolve({ fallback: "small", body: { model: "small" } })).models, ["small"]);
});

Deno.test("contextWindow: the head of a prompt is kept if reading it from a cache is cheaper", () => {
  const keepsHead = (change: Partial<CatalogueEntry>) => {
    const entries = [catalogueEntry(change), catalogueEntry({ model: "small" })];
    return contextWindow({ entries, maxOutputTokens: 100, settings: {} }).keepsHead;
  };
  assertEquals(keepsHead({ cacheReadUsdPerMTok: 0.3 }), true);
  assertEquals([keepsHead({}), keepsHead({ cacheReadUsdPerMTok: 3 })], [undefined, undefined]);
});
