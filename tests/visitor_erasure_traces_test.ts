/** What could stay of an erased visitor, or a deleted conversation, after its runs are gone. */
import { assert, assertEquals } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { ConversationStore } from "@/lib/store/conversations/conversation_store.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { overrideKv } from "@/lib/store/kv/override_kv.ts";
import { contentCipher } from "./support/content.ts";
import { ended } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { fakeUuid } from "./support/fake_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { storedText } from "./support/store.ts";
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
