import { assertEquals, assertRejects } from "@std/assert";
import { FakeTracing } from "@/tests/support/fake_tracing.ts";
import { errorType, openSpan, trace } from "./tracing.ts";

Deno.test("trace: does the work within a span, which ends with it or with the code of its error", async () => {
  const tracing = new FakeTracing();
  assertEquals(await trace(tracing, { name: "a", work: () => Promise.resolve(5) }), 5);
  const failing = () => Promise.reject(Object.assign(new Error("secret"), { code: "busy" }));
  await assertRejects(() => trace(tracing, { name: "b", work: failing }), Error, "secret");
  assertEquals(tracing.log, ["start a", "within a", "end a", "start b", "within b", "end b busy"]);
});

Deno.test("trace and openSpan: without tracing only the work is done", async () => {
  assertEquals(
    await trace(undefined, { name: "a", work: (span) => Promise.resolve(span) }),
    undefined,
  );
  using scope = openSpan(undefined, { name: "a" });
  assertEquals(scope.within(() => 5), 5);
});

Deno.test("openSpan: the span ends with its block, however that is left", () => {
  const tracing = new FakeTracing();
  const step = () => {
    using scope = openSpan(tracing, { name: "step" });
    return scope.within(() => "done");
  };
  assertEquals(step(), "done");
  assertEquals(tracing.log, ["start step", "within step", "end step"]);
});

Deno.test("errorType: a code or a class, never a message", () => {
  assertEquals(errorType(new TypeError("secret")), "TypeError");
  assertEquals(errorType(Object.assign(new Error("secret"), { code: "ECONNRESET" })), "ECONNRESET");
  assertEquals(errorType("secret"), "unknown");
});
