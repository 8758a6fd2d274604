/** What could stay of an erased visitor, or a deleted conversation, after its runs are gone. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { ConversationStore } from "@/lib/store/conversations/conversation_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { overrideKv } from "@/lib/store/kv/override_kv.ts";
import { TestCaseStore } from "@/lib/store/test_sets/test_case_store.ts";
import { TestSetStore } from "@/lib/store/test_sets/test_set_store.ts";
import { contentCipher } from "./support/content.ts";
import { ended } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { fakeUuid } from "./support/fake_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { storedText } from "./support/store.ts";
import { testSetCalls } from "./support/test_sets.ts";
import { openProcesses, PageVisitor } from "./support/whole_visitor.ts";

Deno.test("DELETE /v1/visitors/:id: of a conversation that was deleted before, no Idempotency-Key is left", async () => {
  await using of = await openProcesses();
  const { kv, service, key } = of;
  const page = await PageVisitor.mint(of, "ada", of.places[0]!);
  const { id, runId } = await ended(await page.send("Hello"));
  assertEquals((await page.fetch(`/v1/chat/conversations/${id}`, "DELETE")).status, 204);
  const rows = async () => (await storedText(kv)).split("\n").filter((row) => row.includes(runId));
  assert((await rows()).some((row) => row.startsWith('[["chat_receipts"')));
  const erased = await service.fetch("/v1/visitors/ada", { method: "DELETE", key });
  assertEquals((await expectJson(erased, 202)).state, "done");
  assertEquals(await rows(), []);
});

Deno.test("ConversationStore.delete: a run that ends without a frame meanwhile leaves no tombstone", async () => {
  using kv = await openTestKv();
  const name = { tenant: fakeUuid(1), id: fakeUuid(2), agentId: fakeUuid(3), page: "page" };
  const runId = fakeUuid(4);
  const active = keys.activeRun(name.tenant, runId);
  await kv.set(active, {});
  const endingRun = overrideKv(kv, {
    atomic() {
      const step = kv.atomic();
      const commit = step.commit.bind(step);
      return Object.assign(step, {
        async commit() {
          await kv.delete(active);
          return await commit();
        },
      });
    },
  });
  const deps = { runtime: systemRuntime, content: contentCipher() };
  await new ConversationStore(endingRun, deps).delete(name, [runId]);
  assertEquals((await kv.get(keys.conversation(name))).value, null);
});

Deno.test("DELETE /v1/visitors/:id: test cases of their questions go with their results, others stay", async () => {
  await using of = await openProcesses();
  const { service, kv, places: [place] } = of;
  const key = await service.key(["agents:write", "conversations:write"]);
  const calls = testSetCalls(service, key);
  const set = await calls.create(place!.agentId);
  const fromRun = async (visitor: string) => {
    const page = await PageVisitor.mint(of, visitor, of.places[0]!);
    const { runId } = await ended(await page.send(`A xylophone for ${visitor}`));
    const made = await calls.call("POST", `/${set.id}/cases/from-run`, { json: { runId } });
    return (await expectJson(made, 201)).ids[0] as string;
  };
  const [theirs, other] = [await fromRun("ada"), await fromRun("bob")];
  const replaced = await calls.call("PUT", `/${set.id}/cases/${theirs}`, {
    json: { question: "A xylophone for ada, please", expectations: [] },
  });
  await expectJson(replaced, 200);
  await calls.run(set.id);
  const results = async () => (await Array.fromAsync(kv.list({ prefix: ["test_results"] }))).length;
  assertEquals(await results(), 2);
  const erased = await service.fetch("/v1/visitors/ada", { method: "DELETE", key });
  assertEquals((await expectJson(erased, 202)).state, "done");
  const { data } = await expectJson(await calls.call("GET", `/${set.id}/cases`), 200);
  assertEquals(data.map(({ id }: { id: string }) => id), [other]);
  assertEquals([
    await results(),
    (await expectJson(await calls.call("GET", `/${set.id}`), 200)).cases,
  ], [
    ...[1, 1],
  ]);
});

Deno.test("DELETE /v1/visitors/:id: results of a test case that was deleted before go, with its set or without", async () => {
  await using of = await openProcesses();
  const { service, kv, places: [place] } = of;
  const key = await service.key(["agents:write", "conversations:write"]);
  const calls = testSetCalls(service, key);
  const set = await calls.create(place!.agentId);
  const page = await PageVisitor.mint(of, "ada", place!);
  const { runId } = await ended(await page.send("A xylophone for ada"));
  const made = await calls.call("POST", `/${set.id}/cases/from-run`, { json: { runId } });
  const { ids: [id] } = await expectJson(made, 201);
  const first = await calls.run(set.id);
  assertFalse("visitor" in first.results[0]!);
  await calls.run(set.id);
  const rows = async () =>
    (await storedText(kv)).split("\n").filter((row) => row.includes("test_results")).length;
  assertEquals(await rows(), 4);
  assertEquals((await calls.call("DELETE", `/${set.id}/runs/${first.run.id}`)).status, 204);
  assertEquals(await rows(), 2);
  assertEquals((await calls.call("DELETE", `/${set.id}/cases/${id}`)).status, 204);
  const erased = await service.fetch("/v1/visitors/ada", { method: "DELETE", key });
  assertEquals((await expectJson(erased, 202)).state, "done");
  assertEquals(await rows(), 0);
});

Deno.test("TestCaseStore.add: makes no case of a run that is deleted meanwhile", async () => {
  using kv = await openTestKv();
  const tenant = fakeUuid(1);
  const sets = new TestSetStore(kv, systemRuntime);
  const fields = { name: "Returns", agentId: fakeUuid(2), threshold: 1, budget: 1 };
  const created = await sets.create(tenant, fields);
  assert("set" in created);
  const name = { tenant, id: created.set.id };
  const cases = new TestCaseStore(kv, { runtime: systemRuntime, content: contentCipher() });
  const body = { question: "Hello", expectations: [], enabled: true };
  const run = { id: fakeUuid(3), visitor: "ada" };
  assertEquals(await cases.add(name, [body], { run }), { rejected: "no_run" });
  assertEquals((await cases.list(name, { limit: 10 })).data, []);
  await kv.set(keys.run(tenant, run.id), {});
  assert("ids" in await cases.add(name, [body], { run }));
});
