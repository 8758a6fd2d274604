import { assertEquals, assertRejects } from "@std/assert";
import { agentOf } from "@/tests/support/agents.ts";
import { catalogueEntry } from "@/tests/support/chat.ts";
import { FakeSystem, fakeUuid } from "@/tests/support/fake_system.ts";
import { ModelAccess } from "../admin/model_access.ts";
import { ApiError } from "../errors.ts";
import { CatalogueStore } from "../storage/catalogue_store.ts";
import { TenantStore } from "../storage/tenant_store.ts";
import { resolveCandidates } from "./resolve_candidates.ts";

const ENTRIES = [
  catalogueEntry(),
  catalogueEntry({ model: "small", inputUsdPerMTok: 1, outputUsdPerMTok: 5 }),
  catalogueEntry({ model: "mixed", inputUsdPerMTok: 1, outputUsdPerMTok: 20 }),
  catalogueEntry({ model: "large", inputUsdPerMTok: 9, maxOutputTokens: 2_000 }),
];

/** What the policy and the overrides come to, as the facts that matter. */
async function resolve(options: {
  policy?: Record<string, unknown>;
  fallback?: string;
  body?: Record<string, unknown>;
  visitor?: boolean;
}) {
  using kv = await Deno.openKv(":memory:");
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  await catalogue.addMissing(ENTRIES);
  const { fallback } = options;
  const agent = agentOf({
    modelPolicy: { provider: "vendor_a", model: "mid", ...options.policy },
    ...(fallback === undefined ? {} : { fallback: { provider: "vendor_a", model: fallback } }),
  });
  const { entries, ...rest } = await resolveCandidates({
    tenant: fakeUuid(801),
    agent,
    body: { agentId: agent.id, messages: [{ role: "user", content: "hi" }], ...options.body },
    visitor: options.visitor ?? false,
    models: new ModelAccess({ catalogue, tenants: new TenantStore(kv, new FakeSystem()) }),
  });
  return { models: entries.map((entry) => entry.model), ...rest };
}

Deno.test("resolveCandidates: the agent's policy, then its fallback", async () => {
  assertEquals(await resolve({ fallback: "small", policy: { temperature: 0 } }), {
    models: ["mid", "small"],
    maxOutputTokens: 4_096,
    temperature: 0,
  });
});

Deno.test("resolveCandidates: a fallback that is no longer offered is left out", async () => {
  assertEquals((await resolve({ fallback: "gone" })).models, ["mid"]);
});

Deno.test("resolveCandidates: a key's call overrides model, temperature and output", async () => {
  const body = { model: "large", temperature: 1, maxOutputTokens: 1_000 };
  assertEquals(await resolve({ policy: { temperature: 0 }, body }), {
    models: ["large"],
    maxOutputTokens: 1_000,
    temperature: 1,
  });
});

Deno.test("resolveCandidates: output is never more than the catalogue's", async () => {
  assertEquals((await resolve({ body: { model: "large" } })).maxOutputTokens, 2_000);
  const body = { maxOutputTokens: 16_384 };
  assertEquals((await resolve({ body })).maxOutputTokens, 8_192);
  assertEquals((await resolve({ policy: body })).maxOutputTokens, 8_192);
});

Deno.test("resolveCandidates: an override that is not offered is a fault of the body", async () => {
  for (
    const [body, path] of [[{ model: "gone" }, "model"], [{ provider: "vendor_b" }, "provider"]]
  ) {
    const change = body as Record<string, unknown>;
    const error = await assertRejects(() => resolve({ body: change }), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, path);
  }
});

Deno.test("resolveCandidates: a visitor may choose what is not dearer in either price", async () => {
  const choose = (model: string, more = {}) => resolve({ visitor: true, body: { model }, ...more });
  assertEquals((await choose("small")).models, ["small"]);
  assertEquals((await choose("demo")).models, ["demo"]);
  for (const model of ["large", "mixed"]) {
    const error = await assertRejects(() => choose(model), ApiError);
    assertEquals(error.code, "schema_validation_failed");
  }
  assertEquals((await choose("large", { fallback: "large" })).models[0], "large");
});

Deno.test("resolveCandidates: a visitor gets at most the agent's output", async () => {
  const policy = { maxOutputTokens: 500 };
  const ask = (maxOutputTokens: number, visitor: boolean) =>
    resolve({ policy, visitor, body: { maxOutputTokens } });
  assertEquals((await ask(900, true)).maxOutputTokens, 500);
  assertEquals((await ask(100, true)).maxOutputTokens, 100);
  assertEquals((await ask(900, false)).maxOutputTokens, 900);
});
