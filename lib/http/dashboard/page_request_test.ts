import { assertEquals, assertThrows } from "@std/assert";
import { ApiError } from "../../errors.ts";
import { pageRequestParams } from "./page_request.ts";

const page = (query: string) => pageRequestParams(new URL(`http://127.0.0.1/v1/agents${query}`));

Deno.test("pageRequestParams: 20 rows from the start unless told", () => {
  assertEquals(page(""), { limit: 20, cursor: undefined });
  assertEquals(page("?limit=1&cursor=AbC-_%2B%2F%3D"), { limit: 1, cursor: "AbC-_+/=" });
  assertEquals(page("?limit=100").limit, 100);
});

Deno.test("pageRequestParams: a limit outside 1-100 is a fault at limit", () => {
  for (const limit of ["0", "101", "-1", "1.5", "1e1", "", "ten", "1000"]) {
    const error = assertThrows(() => page(`?limit=${limit}`), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "limit", limit);
  }
});

Deno.test("pageRequestParams: a cursor that cannot be one of ours is a fault at cursor", () => {
  for (const cursor of ["", "a b", "%00", "a".repeat(513)]) {
    const error = assertThrows(() => page(`?cursor=${cursor}`), ApiError);
    assertEquals((error.details?.issues as { path: string }[])[0]?.path, "cursor");
  }
});
