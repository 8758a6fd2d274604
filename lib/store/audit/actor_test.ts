import { assertEquals } from "@std/assert";
import { currentActor, runAs, setActor } from "./actor.ts";

const ANN = { kind: "user", id: "1", name: "ann@example.com" } as const;

Deno.test("runAs: async work keeps its actor while other work runs concurrently", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    await promise;
    return currentActor();
  };
  const [ann, line] = [runAs(ANN, work), runAs({ kind: "command_line" }, work)];
  resolve();
  assertEquals(await ann, ANN);
  assertEquals(await line, { kind: "command_line" });
  assertEquals(currentActor(), { kind: "service" });
});

Deno.test("setActor: changes the actor of the current work only", async () => {
  await runAs({ kind: "service" }, async () => {
    const inner = async () => {
      await Promise.resolve();
      setActor(ANN);
    };
    await inner();
    assertEquals(currentActor(), ANN);
  });
  setActor(ANN);
  assertEquals(currentActor(), { kind: "service" });
});
