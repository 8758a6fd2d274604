import { setImmediate } from "node:timers";
import { assertEquals } from "@std/assert";
import { FakeSystem } from "@/tests/support/fake_system.ts";
import { requestStop, StopRequests } from "./stop_requests.ts";

/** A store that never tells of a change, as a file's across processes. */
function withoutWatch(kv: Deno.Kv, { get }: { get?: () => Promise<never> | undefined } = {}) {
  return new Proxy(kv, {
    get(target, name) {
      if (name === "watch") return () => new ReadableStream();
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...of: unknown[]) =>
        (name === "get" ? get?.() : undefined) ?? value.apply(target, of);
    },
  });
}

const turn = () => new Promise((wake) => setImmediate(wake));

/** Waits for the store, without a clock. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

Deno.test("StopRequests: where the store tells of no change, a stop is heard within a second", async () => {
  using real = await Deno.openKv(":memory:");
  const system = new FakeSystem();
  const stopped: string[] = [];
  const onStop = (runId: string) => stopped.push(runId);
  const requests = new StopRequests(withoutWatch(real), { owner: "me", system, onStop });
  requests.listen();
  await requestStop(real, { owner: "me", tenant: "t", runId: "r-1", system });
  await requestStop(real, { owner: "somebody else", tenant: "t", runId: "r-2", system });
  await system.advance(999);
  await turn();
  assertEquals(stopped, []);
  await system.advance(1);
  await until(() => stopped.length > 0);
  assertEquals(stopped, ["r-1"]);
  requests.stop();
});

Deno.test("StopRequests: a store that fails for a while is asked again", async () => {
  using real = await Deno.openKv(":memory:");
  const system = new FakeSystem();
  const stopped: string[] = [];
  let failures = 0;
  const get = () => failures++ < 3 ? Promise.reject(new Error("away")) : undefined;
  const onStop = (runId: string) => stopped.push(runId);
  const requests = new StopRequests(withoutWatch(real, { get }), { owner: "me", system, onStop });
  requests.listen();
  await requestStop(real, { owner: "me", tenant: "t", runId: "r-1", system });
  while (stopped.length === 0) {
    await system.advance(1_000);
    await turn();
  }
  assertEquals([stopped, failures >= 4], [["r-1"], true]);
  requests.stop();
});
