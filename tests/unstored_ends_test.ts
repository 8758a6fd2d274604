/** Runs whose end cannot be stored as it should: CONTRACT sections 6 and 8. */
import { assertEquals } from "@std/assert";
import { readStoredUsage } from "./support/stored_usage.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

Deno.test("a run whose end cannot be put together frees its slot, and is told of as interrupted", async () => {
  using kv = await openTestKv();
  await using service = await TestService.start({ kv, keepKv: true, ...instantRuntime() });
  const { runs } = service.service;
  runs.settleHook = () => Promise.reject(new Error("a fault of ours"));
  const key = await service.key();
  const { id: agentId } = await service.agent(key);
  const told = await readFrames(await byKey(service, { key, body: { agentId } }));
  assertEquals(onlyFrame(told, "done").finishReason, "stop");
  const { live, leases, settled } = await readStoredUsage(kv);
  assertEquals([live, leases, settled.runs], [[], [], 1]);
  const { runId } = onlyFrame(told, "start");
  const again = await readFrames(await service.fetch(`/v1/chat/runs/${runId}/stream`, { key }));
  assertEquals(again.map(({ frame }) => frame.type), ["error", "done"]);
  assertEquals(onlyFrame(again, "error").code, "run_interrupted");
  const faults = service.logged.filter((line) => JSON.parse(line).level === "error");
  assertEquals(faults.map((line) => JSON.parse(line).runId), [runId]);
});
