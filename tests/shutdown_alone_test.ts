/** The real process, stopped with SIGTERM as an operator or a platform does: CONTRACT sections 6 and 10. */
import { assert, assertEquals } from "@std/assert";
import { readStoredUsage } from "./support/stored_usage.ts";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames, type ReceivedFrame } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { agentBody } from "./support/service.ts";
import { createKey, startService } from "./support/started_service.ts";
import { say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const never = new Promise<never>(() => {});

Deno.test("SIGTERM: rejects new runs, waits for runs that can finish, interrupts the others, and exits with 0", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await using mock = await MockProviders.start();
    await Deno.writeTextFile(`${dir}/catalogue.json`, JSON.stringify([catalogueEntry()]));
    await using service = await startService(dir, {
      CATALOGUE: `${dir}/catalogue.json`,
      VENDOR_A_BASE_URL: mock.url,
      VENDOR_A_API_KEY: "sk-test",
    });
    const key = await createKey(dir);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = (path: string, body: unknown) =>
      fetch(service.base + path, { method: "POST", headers, body: JSON.stringify(body) });
    const modelPolicy = { provider: "vendor_a", model: "mid" };
    const agent = await post("/v1/agents", { ...agentBody(), modelPolicy });
    const body = { agentId: (await agent.json()).id, messages: [say("Hello")] };

    const resume = Promise.withResolvers<void>();
    mock.next({ say: [{ text: "Well," }, { wait: resume.promise }, { text: " then." }] });
    const finishing = await post("/v1/chat/stream", body);
    mock.next({ say: [{ text: "Hm," }, { wait: never }] });
    const stalled = await post("/v1/chat/stream", body);
    const url = `/v1/chat/runs/${stalled.headers.get("x-run-id")}/stream`;
    const stopping = service.stop();
    while (true) {
      const { status, body } = await fetch(`${service.base}/readyz`);
      await body?.cancel();
      if (status === 503) break;
    }
    // Runs now have 3 s of real time, so the requests below are sent at once.
    resume.resolve();
    const [rejected, follower] = await Promise.all([
      post("/v1/chat/stream", body),
      fetch(service.base + url, { headers }),
    ]);
    assertEquals([rejected.status, rejected.headers.get("retry-after")], [503, "2"]);
    assertEquals((await rejected.json()).code, "service_unavailable");
    assertEquals(follower.status, 200);
    const received = await Promise.all([finishing, stalled, follower].map(readFrames));
    assertEquals(received.map(endOf), ["stop", "run_interrupted", "run_interrupted"]);
    assertEquals(received[1], received[2]);
    assertEquals((await stopping).code, 0);

    using kv = await openTestKv(`${dir}/data/kv.sqlite3`);
    const { live, leases, records, settled, spent } = await readStoredUsage(kv);
    assertEquals([live, leases, spent], [[], [], settled.cost]);
    const reasons = [...records.values()].map(({ finishReason }) => finishReason).sort();
    assertEquals(reasons, ["interrupted", "stop"]);
    // The charge is what the provider used, not the whole reservation.
    const [interrupted] = [...records.values()].filter((run) => run.finishReason !== "stop");
    assert(interrupted!.cost < 10_000);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** How a run ended: its error code if it has one, otherwise its finish reason. */
function endOf(frames: readonly ReceivedFrame[]): string | undefined {
  const [before, last] = frames.slice(-2).map(({ frame }) => frame);
  if (before?.type === "error") return before.code;
  return last?.type === "done" ? last.finishReason : undefined;
}
