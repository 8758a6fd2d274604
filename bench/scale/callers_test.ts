import { assertEquals } from "@std/assert";
import { rotation } from "./callers.ts";

for (const processes of [2, 3]) {
  Deno.test(`rotation: each of 8 tenants uses each of ${processes} processes equally often`, () => {
    const next = rotation(8);
    const uses = Array.from({ length: 8 }, () => new Array<number>(processes).fill(0));
    for (let chat = 0; chat < 8 * 24; chat++) uses[next()]![chat % processes]!++;
    const share = 24 / processes;
    assertEquals(uses, Array.from({ length: 8 }, () => new Array<number>(processes).fill(share)));
  });
}
