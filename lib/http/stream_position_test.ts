import { assertEquals, assertThrows } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_system.ts";
import { ApiError } from "../errors.ts";
import { streamPosition } from "./stream_position.ts";

const runId = fakeUuid(1);

function positionOf(query: string, last?: string): number {
  const headers = last === undefined ? undefined : { "last-event-id": last };
  return streamPosition(
    new Request(`http://localhost/stream${query}`, headers && { headers }),
    runId,
  );
}

Deno.test("streamPosition: a frame's id or its number, in the header or the query; nothing is the beginning", () => {
  for (const asked of ["7", `${runId}.7`]) {
    assertEquals([positionOf(`?after=${asked}`), positionOf("", asked)], [7, 7]);
  }
  assertEquals([positionOf(""), positionOf("?after="), positionOf("", "")], [0, 0, 0]);
});

Deno.test("streamPosition: a client that comes back to the URL it began with goes on where it was", () => {
  assertEquals(positionOf("?after=5", `${runId}.20`), 20);
});

Deno.test("streamPosition: a frame of another run is no position", () => {
  assertThrows(() => positionOf("", `${fakeUuid(2)}.3`), ApiError);
  assertThrows(() => positionOf("?after=-1"), ApiError);
});
