import { assertEquals } from "@std/assert";
import { actingAs, becomeActor, currentActor } from "./acting.ts";

const ANN = { kind: "user", id: "1", name: "ann@example.com" } as const;

Deno.test("actingAs: the author stays with its work, however long that waits and whatever runs beside it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    await promise;
    return currentActor();
  };
  const [ann, line] = [actingAs(ANN, work), actingAs({ kind: "command_line" }, work)];
  resolve();
  assertEquals(await ann, ANN);
  assertEquals(await line, { kind: "command_line" });
  assertEquals(currentActor(), { kind: "service" });
});

Deno.test("becomeActor: names who turns out to be behind the work, for this work alone", async () => {
  await actingAs({ kind: "service" }, async () => {
    const inner = async () => {
      await Promise.resolve();
      becomeActor(ANN);
    };
    await inner();
    assertEquals(currentActor(), ANN);
  });
  becomeActor(ANN);
  assertEquals(currentActor(), { kind: "service" });
});
