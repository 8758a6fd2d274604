import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { loadModule } from "./load_module.ts";

Deno.test("loadModule: a failure names what could not be loaded, and the next use tries again", async () => {
  const failure = new TypeError("Too many open files");
  const results = [() => Promise.reject(failure), () => Promise.resolve({ answer: 42 })];
  const load = () => loadModule<{ answer: number }>("the late module", results.shift()!);
  const error = await assertRejects(load, Error, "cannot load the late module");
  assertStrictEquals(error.cause, failure);
  assertEquals(await load(), { answer: 42 });
});
