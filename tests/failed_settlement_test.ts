/** Runs whose settlement fails: CONTRACT sections 6 and 8. */
import { assertEquals } from "@std/assert";
import { readStoredUsage } from "./support/stored_usage.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

Deno.test("a run whose settlement throws frees its slot, and its stored log ends with run_interrupted", async () => {
  using kv = await openTestKv();
  await using service = await TestService.start({ kv, keepKv: true, ...instantRuntime() });
  const { runs } = service.service;
  runs.settleHook = () => Promise.reject(new Error("settlement failed"));
  const key = await service.key();
  const { id: agentId } = await service.agent(key);
  const frames = await readFrames(await byKey(service, { key, body: { agentId } }));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const { live, leases, settled } = await readStoredUsage(kv);
  assertEquals([live, leases, settled.runs], [[], [], 1]);
  const { runId } = onlyFrame(frames, "start");
  const replayed = await readFrames(await service.fetch(`/v1/chat/runs/${runId}/stream`, { key }));
  assertEquals(replayed.map(({ frame }) => frame.type), ["error", "done"]);
  assertEquals(onlyFrame(replayed, "error").code, "run_interrupted");
  const errors = service.logged.filter((line) => JSON.parse(line).level === "error");
  assertEquals(errors.map((line) => JSON.parse(line).runId), [runId]);
});
