import { assertEquals, assertThrows } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import { pageRequestParams, streamPosition } from "./request_params.ts";

const runId = fakeUuid(1);

function positionOf(query: string, last?: string): number {
  const headers = last === undefined ? undefined : { "last-event-id": last };
  return streamPosition(
    new Request(`http://localhost/stream${query}`, headers && { headers }),
    runId,
  );
}

Deno.test("streamPosition: reads a frame's id or number from header or query; default is the beginning", () => {
  for (const asked of ["7", `${runId}.7`]) {
    assertEquals([positionOf(`?after=${asked}`), positionOf("", asked)], [7, 7]);
  }
  assertEquals([positionOf(""), positionOf("?after="), positionOf("", "")], [0, 0, 0]);
});

Deno.test("streamPosition: the header takes precedence over the query", () => {
  assertEquals(positionOf("?after=5", `${runId}.20`), 20);
});

Deno.test("streamPosition: rejects a frame of another run", () => {
  assertThrows(() => positionOf("", `${fakeUuid(2)}.3`), ApiError);
  assertThrows(() => positionOf("?after=-1"), ApiError);
});

const page = (query: string) => pageRequestParams(new URL(`http://127.0.0.1/v1/agents${query}`));

Deno.test("pageRequestParams: defaults to the first 20 rows", () => {
  assertEquals(page(""), { limit: 20, cursor: undefined });
  assertEquals(page("?limit=1&cursor=AbC-_%2B%2F%3D"), { limit: 1, cursor: "AbC-_+/=" });
  assertEquals(page("?limit=100").limit, 100);
});

Deno.test("pageRequestParams: a limit outside 1-100 is an issue at limit", () => {
  for (const limit of ["0", "101", "-1", "1.5", "1e1", "", "ten", "1000"]) {
    const error = assertThrows(() => page(`?limit=${limit}`), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "limit", limit);
  }
});

Deno.test("pageRequestParams: a malformed cursor is an issue at cursor", () => {
  for (const cursor of ["", "a b", "%00", "a".repeat(513)]) {
    const error = assertThrows(() => page(`?cursor=${cursor}`), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "cursor");
  }
});
