import { assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { until } from "@/tests/support/waiting_calls.ts";
import { keys } from "../../store/keys/keys.ts";
import { WaitingCalls } from "./waiting_calls.ts";

Deno.test("WaitingCalls: of an output that arrives as the run is stopped, nothing stays", async () => {
  using kv = await openTestKv();
  const [tenant, runId, agentId] = [fakeUuid(1), fakeUuid(2), fakeUuid(3)];
  await kv.set(keys.activeRun(tenant, runId), {});
  await kv.set(keys.agent(tenant, agentId), {});
  const runtime = new FakeRuntime();
  const process = (owner: string) =>
    new WaitingCalls({ kv, content: contentCipher(), runtime, owner });
  const stop = new AbortController();
  const call = { runId, agentId, conversationId: fakeUuid(4), name: "cart", n: 2 };
  const held = await process("first").hold(
    tenant,
    { ...call, waitsFor: "page", expiresAt: runtime.now() + 5_000 },
    stop.signal,
  );
  // Another process has accepted it, which the first does not know yet.
  const reply = { output: { items: 1 } };
  await process("second").reply({ tenant, runId, n: 2 }, { reply, by: "session" });
  stop.abort();
  assertEquals(await held.answer, { kind: "stopped" });
  const left = async () =>
    (await storedKeys(kv)).filter((key) => /^(call_answers|stop_requests)/.test(key));
  await until(async () => (await left()).length === 0 || undefined);
});
