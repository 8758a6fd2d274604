import { setImmediate } from "node:timers";
import { assertEquals } from "@std/assert";
import { kvWithoutWatch } from "@/tests/support/kv_without_watch.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { keys } from "../store/keys/keys.ts";
import { overrideKv } from "../store/kv/override_kv.ts";
import { CancellationChannel, requestCancellation } from "./cancellation_channel.ts";

const turn = () => new Promise((wake) => setImmediate(wake));

/** Waits for the store, without a clock. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

Deno.test("CancellationChannel: without watch, a cancellation arrives within a second", async () => {
  using real = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const stopped: string[] = [];
  const onCancel = (runId: string) => stopped.push(runId);
  const requests = new CancellationChannel(kvWithoutWatch(real), {
    owner: "me",
    runtime,
    onCancel,
  });
  requests.listen();
  await requestCancellation(real, { owner: "me", tenant: "t", runId: "r-1", runtime });
  await requestCancellation(real, { owner: "somebody else", tenant: "t", runId: "r-2", runtime });
  await runtime.advance(999);
  await turn();
  assertEquals(stopped, []);
  await runtime.advance(1);
  await until(() => stopped.length > 0);
  assertEquals(stopped, ["r-1"]);
  requests.close();
});

Deno.test("CancellationChannel: polling continues after errors of the store", async () => {
  using real = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const stopped: string[] = [];
  let failures = 0;
  const kv = Object.assign(Object.create(kvWithoutWatch(real)), {
    get: (key: Deno.KvKey) => failures++ < 3 ? Promise.reject(new Error("away")) : real.get(key),
  });
  const onCancel = (runId: string) => stopped.push(runId);
  const requests = new CancellationChannel(kv, { owner: "me", runtime, onCancel });
  requests.listen();
  await requestCancellation(real, { owner: "me", tenant: "t", runId: "r-1", runtime });
  while (stopped.length === 0) {
    await runtime.advance(1_000);
    await turn();
  }
  assertEquals([stopped, failures >= 4], [["r-1"], true]);
  requests.close();
});

Deno.test("CancellationChannel: watching continues after errors of the store", async () => {
  using real = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const stopped: string[] = [];
  let failures = 0;
  const kv = overrideKv(real, {
    list: (...of: Parameters<Deno.Kv["list"]>) => {
      if (failures++ > 0) return real.list(...of);
      throw new Error("away");
    },
    // Polling alone would not find it.
    get: () => Promise.reject(new Error("away")),
  });
  const onCancel = (runId: string) => stopped.push(runId);
  const requests = new CancellationChannel(kv, { owner: "me", runtime, onCancel });
  requests.listen();
  await requestCancellation(real, { owner: "me", tenant: "t", runId: "r-1", runtime });
  await until(() => failures > 0);
  assertEquals(stopped, []);
  while (stopped.length === 0) {
    await runtime.advance(1_000);
    await turn();
  }
  assertEquals(stopped, ["r-1"]);
  requests.close();
});

Deno.test("CancellationChannel: a cancellation takes effect although its request cannot be deleted", async () => {
  using real = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const stopped: string[] = [];
  const kv = Object.assign(Object.create(kvWithoutWatch(real)), {
    delete: async (key: Deno.KvKey) => {
      await real.delete(key);
      throw new Error("no answer");
    },
  });
  const onCancel = (runId: string) => stopped.push(runId);
  const requests = new CancellationChannel(kv, { owner: "me", runtime, onCancel });
  requests.listen();
  await requestCancellation(real, { owner: "me", tenant: "t", runId: "r-1", runtime });
  await runtime.advance(1_000);
  await until(() => stopped.length > 0);
  assertEquals(stopped, ["r-1"]);
  requests.close();
});

Deno.test("CancellationChannel: reports runs followed through other processes without cancelling them", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const received: string[] = [];
  const requests = new CancellationChannel(kv, {
    ...{ owner: "me", runtime },
    onCancel: (runId) => received.push(`cancel ${runId}`),
    onFollowed: (runId) => received.push(`followed ${runId}`),
  });
  requests.listen();
  await kv.set(keys.followWakeKey("me"), "r-1");
  await until(() => received.length > 0);
  assertEquals(received, ["followed r-1"]);
  requests.close();
});
