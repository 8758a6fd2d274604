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
import { openKnowledgeSearch } from "../../server/composition/open_knowledge_search.ts";

const TENANT = fakeUuid(801);
const BASE = { tenant: TENANT, base: "b" };
const of = (id: string) => ({ ...BASE, id });
const DOG = "The hound that we keep barks at night.";
const CAR = "An automobile is parked before the house.";
const FOOD = "We bake every loaf in our own oven.";

/** An embedding model that knows what dogs, cars and bread are, and search over it. */
class World implements AsyncDisposable {
  readonly runtime = new FakeRuntime();
  readonly logged: string[] = [];
  readonly #registries: ModelRegistry[] = [];

  private constructor(readonly kv: Deno.Kv, readonly mock: MockProviders) {}

  static async start(
    answer: (request: MockRequest) => Script = meaningful,
    { price = 1_000 }: { price?: number | "none" } = {},
  ): Promise<World> {
    const kv = await Deno.openKv(":memory:");
    const mock = await MockProviders.start({ otherwise: answer });
    const catalogue = new CatalogueStore(kv, { demoModel: true });
    const prices = { inputUsdPerMTok: Number(price), outputUsdPerMTok: 0 };
    if (price !== "none") await catalogue.addMissing([catalogueEntry({ model: "emb", ...prices })]);
    const world = new World(kv, mock);
    await putDocument(kv, of("dog"), { title: "One", passages: [DOG], revision: fakeUuid(1) });
    await putDocument(kv, of("car"), { title: "Two", passages: [CAR], revision: fakeUuid(2) });
    await putDocument(kv, of("food"), { title: "Three", passages: [FOOD], revision: fakeUuid(3) });
    return world;
  }

  /** Search as one process has it. */
  process({ hardDailyCost = 5_000_000, protocol = "openai" as "openai" | "google" } = {}) {
    const { kv, runtime } = this;
    const slot = { protocol, apiKey: KEYS[protocol], embeddingModel: "emb" };
    const vendors = { vendor_a: { ...slot, baseUrl: this.mock.url } };
    const registry = new ModelRegistry(runtime, { providers: vendors });
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

  /** What the vendor was asked to embed. */
  get asked(): string[][] {
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

async function found(search: ReturnType<World["process"]>, query: string): Promise<string[]> {
  const passages = await search.search(BASE, { query, limit: 3 });
  return passages!.map(({ documentId }) => documentId);
}

/** A process that has had its vectors made. */
async function prepared(world: World) {
  const search = world.process();
  await search.prepare(BASE);
  await search.whenIdle();
  return search;
}

Deno.test("hybrid search: finds by meaning what has no word of the query", async () => {
  await using world = await World.start();
  const search = await prepared(world);
  assertEquals((await found(search, "puppy"))[0], "dog");
  assertEquals((await found(search, "drive"))[0], "car");
});

Deno.test("hybrid search: what fits by words and by meaning comes first", async () => {
  await using world = await World.start();
  await putDocument(world.kv, of("pet"), { title: "Four", passages: ["Every puppy barks."] });
  const search = await prepared(world);
  assertEquals((await found(search, "puppy")).slice(0, 2), ["pet", "dog"]);
});

Deno.test("hybrid search: until there are vectors, words answer; the first search has them made", async () => {
  const made = Promise.withResolvers<void>();
  const isQuery = (request: MockRequest) => embeddedTexts(request)!.join() === "hound";
  await using world = await World.start((request) => {
    const script = meaningful(request);
    return isQuery(request) ? script : { ...script, heldUntil: made.promise };
  });
  const search = world.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  made.resolve();
  await search.whenIdle();
  assertEquals((await found(search, "puppy"))[0], "dog");
});

Deno.test("hybrid search: vectors are made once, whatever process needs them", async () => {
  await using world = await World.start();
  await prepared(world);
  const made = world.asked.length;
  assertEquals((await found(world.process(), "puppy"))[0], "dog");
  assertEquals(world.asked.slice(made), [["puppy"]]);
});

Deno.test("hybrid search: after a change only what has changed is embedded, and nothing is left of the rest", async () => {
  await using world = await World.start();
  const search = await prepared(world);
  const made = world.asked.length;
  await dropDocument(world.kv, of("dog"));
  await putDocument(world.kv, of("car"), { title: "Two", passages: ["A pet shop."] });
  await search.prepare(BASE);
  await search.whenIdle();
  assertEquals(world.asked.slice(made), [["Two\nA pet shop."]]);
  assertEquals((await found(search, "puppy"))[0], "car");
  const left = (await storedKeys(world.kv)).filter((key) =>
    key.includes("/dog") || key.includes(fakeUuid(2))
  );
  assertEquals(left, []);
  const claims = (await storedKeys(world.kv)).filter((key) => key.includes("/claims/"));
  assertEquals(claims, []);
});

Deno.test("hybrid search: what becomes ready while others are embedded is embedded after them", async () => {
  const gate = Promise.withResolvers<void>();
  await using world = await World.start((request) => {
    const { body, ...script } = meaningful(request);
    const waits = embeddedTexts(request)![0]!.startsWith("Two");
    return {
      ...script,
      say: [...(waits ? [{ wait: gate.promise }] : []), { raw: body! }],
      end: "none",
    };
  });
  const search = world.process({ protocol: "google" });
  await search.prepare(BASE);
  await world.mock.asked(1);
  await putDocument(world.kv, of("new"), { title: "New", passages: ["A pet shop."] });
  await search.prepare(BASE);
  gate.resolve();
  await search.whenIdle();
  assertEquals(world.asked.flat().map((text) => text.split("\n")[0]), [
    "Two",
    "One",
    "Three",
    "New",
  ]);
});

Deno.test("hybrid search: long documents are embedded in batches", async () => {
  await using world = await World.start();
  const passages = Array.from({ length: 130 }, (_, n) => `Passage ${n}`);
  await putDocument(world.kv, of("long"), { passages });
  await prepared(world);
  assertEquals(world.asked.map(({ length }) => length), [1, 1, 1, 64, 64, 2]);
});

Deno.test("hybrid search: what cannot be embedded is found by words, and the log says why", async () => {
  await using world = await World.start(() => ({ status: 401, body: `who is ${KEYS.openai}?` }));
  const search = world.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(await found(search, "loaf"), ["food"]);
  const text = world.logged.join("");
  assertStringIncludes(text, "answered by words");
  assertStringIncludes(text, "found by words");
  assertEquals(text.includes(KEYS.openai), false);
});

Deno.test("hybrid search: a base that could not be embedded is left alone for a while", async () => {
  await using world = await World.start((request) => {
    return embeddedTexts(request)![0]!.includes("\n") ? { status: 400 } : meaningful(request);
  });
  const search = world.process();
  for (let n = 0; n < 3; n++) {
    await found(search, "hound");
    await search.whenIdle();
  }
  const failed = () => world.asked.filter(([text]) => text!.includes("\n")).length;
  assertEquals(failed(), 1);
  await world.runtime.advance(61_000);
  await found(search, "hound");
  await search.whenIdle();
  assertEquals(failed(), 2);
});

Deno.test("hybrid search: a vendor that keeps a query waiting is not waited for", async () => {
  await using world = await World.start((request) => {
    return embeddedTexts(request)![0] === "hound" ? { silent: true } : meaningful(request);
  });
  const search = await prepared(world);
  const made = world.mock.requests.length;
  const searching = found(search, "hound");
  await world.mock.asked(made + 1);
  await world.runtime.advance(3_000);
  assertEquals(await searching, ["dog"]);
});

Deno.test("hybrid search: is priced, and counted to the agent that searches or to none", async () => {
  await using world = await World.start();
  const search = await prepared(world);
  const by = { agentId: fakeUuid(901), source: { kind: "session", id: fakeUuid(600) } } as const;
  await search.search(BASE, { query: "puppy", limit: 1, caller: by });
  const { byAgent, byModel, costUsd, runs } = await world.usage();
  const sums = byAgent.map(({ agentId, inputTokens }) => [agentId, inputTokens]);
  assertEquals(sums, [[NO_AGENT, 9], [by.agentId, 3]]);
  assertEquals(byModel.map(({ provider, model }) => [provider, model]), [["vendor_a", "emb"]]);
  assertEquals([costUsd, runs], [0.012, 0]);
});

Deno.test("hybrid search: a tenant whose day is spent searches by words, and nobody is asked", async () => {
  await using world = await World.start();
  const search = world.process({ hardDailyCost: 10 });
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(world.asked, []);
  assertStringIncludes(world.logged.join(""), "no money left");
});

Deno.test("hybrid search: a model without a price is not used", async () => {
  await using world = await World.start(meaningful, { price: "none" });
  const search = world.process();
  assertEquals(await found(search, "hound"), ["dog"]);
  await search.whenIdle();
  assertEquals(world.asked, []);
  assertStringIncludes(world.logged.join(""), "no price");
});

Deno.test("hybrid search: a process that ends lets nobody make what it had begun wait", async () => {
  await using world = await World.start((request) => {
    return embeddedTexts(request)![0]!.includes("\n") ? { silent: true } : meaningful(request);
  });
  const search = world.process();
  await search.prepare(BASE);
  await world.mock.asked(1);
  await search.close();
  assertEquals((await storedKeys(world.kv)).filter((key) => key.includes("/claims/")), []);
});
