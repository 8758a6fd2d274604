import { assertEquals } from "@std/assert";
import { compareRouteIds } from "./route_order.ts";

Deno.test("what surrounds comes first, then literals, then patterns from narrow to wide", () => {
  const ordered = [
    "/_app",
    "/_middleware",
    "/_layout",
    "/_error",
    "/index",
    "/about",
    "/blog/_middleware",
    "/blog/_layout",
    "/blog/index",
    "/blog/new",
    "/blog/a-[x]",
    "/blog/[slug]",
    "/blog/[...rest]",
    "/(admin)/_layout",
    "/(admin)/users",
    "/[id]",
    "/[...all]",
  ];
  assertEquals(ordered.toReversed().sort(compareRouteIds), ordered);
});
