/** What the models of a run are asked with, besides the agent's own settings. */
import { assertEquals } from "@std/assert";
import { catalogueEntry, chatRequest, finishedFrames, openChat } from "@/tests/support/chat.ts";
import { end, FakeModel, text } from "@/tests/support/fake_model.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { CatalogueStore } from "../store/providers/catalogue_store.ts";

Deno.test("a model has its entry's timeout, and is asked to cache if writing has a price", async () => {
  const kv = await openTestKv();
  const catalogue = new CatalogueStore(kv, { demoModel: false });
  await catalogue.addMissing([
    catalogueEntry({ model: "caching", cacheWriteUsdPerMTok: 3.75, timeoutMs: 5_000 }),
    catalogueEntry({ model: "free-to-write", cacheWriteUsdPerMTok: 0 }),
    catalogueEntry({ model: "plain", cacheReadUsdPerMTok: 0.3 }),
  ]);
  const asked = async (model: string) => {
    const client = new FakeModel([text("Hi"), end()]);
    const { begin } = await openChat(kv, { [model]: client });
    await finishedFrames(await begin(chatRequest(model)));
    const { cachesPrompt, responseMs } = client.requests[0]!;
    return { cachesPrompt, responseMs };
  };
  assertEquals(await asked("caching"), { cachesPrompt: true, responseMs: 5_000 });
  assertEquals(await asked("free-to-write"), { cachesPrompt: true, responseMs: undefined });
  assertEquals(await asked("plain"), { cachesPrompt: undefined, responseMs: undefined });
  kv.close();
});
