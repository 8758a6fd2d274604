import { assertEquals, assertStringIncludes } from "@std/assert";
import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { createLogger } from "@/lib/platform/log.ts";
import { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { StorageReports } from "@/lib/billing/storage_report.ts";
import { UsageReports } from "@/lib/billing/usage_report.ts";
import { NO_AGENT } from "@/lib/store/runs/usage_rows.ts";
import { catalogueEntry } from "@/tests/support/chat.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import {
  embeddedTexts,
  embeddingOf,
  embeddingsResponse,
} from "@/tests/support/mock_providers/embeddings.ts";
import { MockProviders, type MockRequest } from "@/tests/support/mock_providers/mock_providers.ts";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import { dropDocument, putDocument } from "@/tests/support/passages.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { KEYS } from "@/tests/support/provider_connections.ts";
import { openKnowledgeSearch } from "../../server/composition/open_knowledge.ts";

const TENANT = fakeUuid(801);
const BASE = { tenant: TENANT, base: "b" };
const of = (id: string) => ({ ...BASE, id });
const DOG = "The hound that we keep barks at night.";
const CAR = "An automobile is parked before the house.";
const FOOD = "We bake every loaf in our own oven.";

/** An embedding model that knows dogs, cars and bread, and a search that uses it. */
class SearchSetup implements AsyncDisposable {
  readonly runtime = new FakeRuntime();
  readonly logged: string[] = [];
  readonly #registries: ModelRegistry[] = [];

  private constructor(readonly kv: Deno.Kv, readonly mock: MockProviders) {}

  static async start(
    answer: (request: MockRequest) => Script = meaningful,
    { price = 1_000 }: { price?: number | "none" } = {},
  ): Promise<SearchSetup> {
    const kv = await Deno.openKv(":memory:");
    const mock = await MockProviders.start({ otherwise: answer });
    const catalogue = new CatalogueStore(kv, { demoModel: true });
    const prices = { inputUsdPerMTok: Number(price), outputUsdPerMTok: 0 };
    if (price !== "none") await catalogue.addMissing([catalogueEntry({ model: "emb", ...prices })]);
    const setup = new SearchSetup(kv, mock);
    await putDocument(kv, of("dog"), { title: "One", passages: [DOG], revision: fakeUuid(1) });
    await putDocument(kv, of("car"), { title: "Two", passages: [CAR], revision: fakeUuid(2) });
    await putDocument(kv, of("food"), { title: "Three", passages: [FOOD], revision: fakeUuid(3) });
    return setup;
  }

  /** The search of one process. */
  process({ hardDailyCost = 5_000_000, protocol = "openai" as "openai" | "google" } = {}) {
    const { kv, runtime } = this;
    const slot = { protocol, apiKey: KEYS[protocol], embeddingModel: "emb" };
    const providers = { vendor_a: { ...slot, baseUrl: this.mock.url } };
    const registry = new ModelRegistry(runtime, { providers });
    this.#registries.push(registry);
    return openKnowledgeSearch({
      kv,
      runtime,
      log: createLogger({ json: true, write: (line) => this.logged.push(line) }),
      committer: new GroupCommitter(kv, { runtime }),
      catalogue: new CatalogueStore(kv, { demoModel: true }),
      tenants: new TenantStore(kv, runtime),
      limits: { ...DEFAULT_LIMITS, hardDailyCost },
      embedder: registry.embedder,
    });
  }

  /** What the provider was requested to embed. */
  get embedded(): string[][] {
    return this.mock.requests.map((request) => embeddedTexts(request)!);
  }

  async usage() {
    const { kv, runtime } = this;
    const tenants = new TenantStore(kv, runtime);
    const day = new Date(runtime.now()).toISOString().slice(0, 10);
    const storage = new StorageReports(kv, runtime);
    return await new UsageReports(kv, { runtime, tenants, limits: DEFAULT_LIMITS, storage })
      .read(TENANT, { from: day, to: day });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const registry of this.#registries) registry.close();
    await this.mock[Symbol.asyncDispose]();
    this.kv.close();
  }
}

function meaningful(request: MockRequest): Script {
  const texts = embeddedTexts(request)!;
  return embeddingsResponse(request, { vectors: texts.map(embeddingOf), tokens: 3 * texts.length });
}

async function found(search: ReturnType<SearchSetup["process"]>, query: string): Promise<string[]> {
  const passages = await search.search(BASE, { query, limit: 3 });
  return passages!.map(({ documentId }) => documentId);
}

/** A process with all vectors. */
async function prepared(setup: SearchSetup) {
  const search = setup.process();
  await search.prepare(BASE);
  await search.whenIdle();
  return search;
}

Deno.test("hybrid search: finds passages without any word of the query", async () => {
  await using setup = await SearchSetup.start();
  const search = await prepared(setup);
  assertEquals((await found(search, "puppy"))[0], "dog");
  assertEquals((await found(search, "drive"))[0], "car");
});

Deno.test("hybrid search: passages that match by words and by meaning come first", async () => {
  await using setup = await SearchSetup.start();
  await putDocument(setup.kv, of("pet"), { title: "Four", passages: ["Every puppy barks."] });
  const search = await prepared(setup);
  assertEquals((await found(search, "puppy")).slice(0, 2), ["pet", "dog"]);
});

Deno.test("hybrid search: full-text search works until the first search has started the embedding", async () => {
  const before = Promise.withResolvers<void>();
  const isQuery = (request: MockRequest) => embeddedTexts(request)!.join() === "hound";
  await using setup = await SearchSetup.start((request) => {
    const script = meaningful(request);
    return isQuery(request) ? script : { ...script, heldUntil: before.promise };
  });
  const search = setup.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  before.resolve();
  await search.whenIdle();
  assertEquals((await found(search, "puppy"))[0], "dog");
});

Deno.test("hybrid search: all processes share vectors", async () => {
  await using setup = await SearchSetup.start();
  await prepared(setup);
  const before = setup.embedded.length;
  assertEquals((await found(setup.process(), "puppy"))[0], "dog");
  assertEquals(setup.embedded.slice(before), [["puppy"]]);
});

Deno.test("hybrid search: a query that is repeated is embedded and charged once", async () => {
  await using setup = await SearchSetup.start();
  const search = await prepared(setup);
  const before = setup.embedded.length;
  for (const query of ["puppy", " puppy ", "hound", "puppy"]) {
    assertEquals((await found(search, query))[0], "dog");
  }
  assertEquals(setup.embedded.slice(before), [["puppy"], ["hound"]]);
});

Deno.test("hybrid search: after a change, only changed documents are embedded, and old vectors are deleted", async () => {
  await using setup = await SearchSetup.start();
  const search = await prepared(setup);
  const before = setup.embedded.length;
  await dropDocument(setup.kv, of("dog"));
  await putDocument(setup.kv, of("car"), { title: "Two", passages: ["A pet shop."] });
  await search.prepare(BASE);
  await search.whenIdle();
  assertEquals(setup.embedded.slice(before), [["Two\nA pet shop."]]);
  assertEquals((await found(search, "puppy"))[0], "car");
  const left = (await storedKeys(setup.kv)).filter((key) =>
    key.includes("/dog") || key.includes(fakeUuid(2))
  );
  assertEquals(left, []);
  const claims = (await storedKeys(setup.kv)).filter((key) => key.includes("/claims/"));
  assertEquals(claims, []);
});

Deno.test("hybrid search: documents that are added during embedding follow", async () => {
  const gate = Promise.withResolvers<void>();
  await using setup = await SearchSetup.start((request) => {
    const { body, ...script } = meaningful(request);
    const waits = embeddedTexts(request)![0]!.startsWith("Two");
    return {
      ...script,
      say: [...(waits ? [{ wait: gate.promise }] : []), { raw: body! }],
      end: "none",
    };
  });
  const search = setup.process({ protocol: "google" });
  await search.prepare(BASE);
  await setup.mock.asked(1);
  await putDocument(setup.kv, of("new"), { title: "New", passages: ["A pet shop."] });
  await search.prepare(BASE);
  gate.resolve();
  await search.whenIdle();
  assertEquals(setup.embedded.flat().map((text) => text.split("\n")[0]), [
    "Two",
    "One",
    "Three",
    "New",
  ]);
});

Deno.test("hybrid search: long documents are embedded in batches", async () => {
  await using setup = await SearchSetup.start();
  const passages = Array.from({ length: 130 }, (_, n) => `Passage ${n}`);
  await putDocument(setup.kv, of("long"), { passages });
  await prepared(setup);
  assertEquals(setup.embedded.map(({ length }) => length), [1, 1, 1, 64, 64, 2]);
});

Deno.test("hybrid search: full-text search works after a failure, which is logged", async () => {
  await using setup = await SearchSetup.start(() => ({
    status: 401,
    body: `who is ${KEYS.openai}?`,
  }));
  const search = setup.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(await found(search, "loaf"), ["food"]);
  const text = setup.logged.join("");
  assertStringIncludes(text, "full-text search only");
  assertStringIncludes(text, "only full-text search");
  assertEquals(text.includes(KEYS.openai), false);
});

Deno.test("hybrid search: a base is skipped for a while after a failure", async () => {
  await using setup = await SearchSetup.start((request) => {
    return embeddedTexts(request)![0]!.includes("\n") ? { status: 400 } : meaningful(request);
  });
  const search = setup.process();
  for (let n = 0; n < 3; n++) {
    await found(search, "hound");
    await search.whenIdle();
  }
  const failed = () => setup.embedded.filter(([text]) => text!.includes("\n")).length;
  assertEquals(failed(), 1);
  await setup.runtime.advance(61_000);
  await found(search, "hound");
  await search.whenIdle();
  assertEquals(failed(), 2);
});

Deno.test("hybrid search: a slow provider does not delay a search for long", async () => {
  await using setup = await SearchSetup.start((request) => {
    return embeddedTexts(request)![0] === "hound" ? { silent: true } : meaningful(request);
  });
  const search = await prepared(setup);
  const before = setup.mock.requests.length;
  const searching = found(search, "hound");
  await setup.mock.asked(before + 1);
  await setup.runtime.advance(3_000);
  assertEquals(await searching, ["dog"]);
});

Deno.test("hybrid search: embeddings are charged to the agent that searches, or to none", async () => {
  await using setup = await SearchSetup.start();
  const search = await prepared(setup);
  const by = { agentId: fakeUuid(901), source: { kind: "session", id: fakeUuid(600) } } as const;
  await search.search(BASE, { query: "puppy", limit: 1, caller: by });
  const { byAgent, byModel, costUsd, runs } = await setup.usage();
  const sums = byAgent.map(({ agentId, inputTokens }) => [agentId, inputTokens]);
  assertEquals(sums, [[NO_AGENT, 9], [by.agentId, 3]]);
  assertEquals(byModel.map(({ provider, model }) => [provider, model]), [["vendor_a", "emb"]]);
  assertEquals([costUsd, runs], [0.012, 0]);
});

Deno.test("hybrid search: a tenant without budget uses full-text search, without a call", async () => {
  await using setup = await SearchSetup.start();
  const search = setup.process({ hardDailyCost: 10 });
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(setup.embedded, []);
  assertStringIncludes(setup.logged.join(""), "no money left");
});

Deno.test("hybrid search: a model without a price is not used", async () => {
  await using setup = await SearchSetup.start(meaningful, { price: "none" });
  const search = setup.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(setup.embedded, []);
  assertStringIncludes(setup.logged.join(""), "no price");
});

Deno.test("hybrid search: a process that ends releases its claims", async () => {
  await using setup = await SearchSetup.start((request) => {
    return embeddedTexts(request)![0]!.includes("\n") ? { silent: true } : meaningful(request);
  });
  const search = setup.process();
  await search.prepare(BASE);
  await setup.mock.asked(1);
  await search.close();
  assertEquals((await storedKeys(setup.kv)).filter((key) => key.includes("/claims/")), []);
});
