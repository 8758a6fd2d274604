import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { PendingResponses } from "./pending_responses.ts";

Deno.test("PendingResponses.shutdown: waits for every response, including ones that start meanwhile", async () => {
  const requests = new PendingResponses();
  const [first, second, later] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  requests.add(first!.promise);
  requests.add(second!.promise);
  let ended = false;
  const ending = requests.shutdown().then(() => ended = true);
  first!.resolve();
  requests.add(later!.promise);
  second!.resolve();
  await new FakeRuntime().advance(0);
  assertEquals(ended, false);
  later!.resolve();
  await ending;
});

Deno.test("PendingResponses.shutdown: does not wait for a disconnected client", async () => {
  const requests = new PendingResponses();
  requests.add(Promise.reject(new Deno.errors.Interrupted("the client has gone")));
  await requests.shutdown();
});

Deno.test("PendingResponses.shutdown: resolves if nothing is pending", () =>
  new PendingResponses().shutdown());
