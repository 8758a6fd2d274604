import { assertEquals } from "@std/assert";
import { paginate } from "./paginate.ts";

const HUNDRED_AND_TWENTY = Array.from({ length: 120 }, (_, n) => n);
const at = (search: string) => paginate(HUNDRED_AND_TWENTY, new URL(`http://x/keys${search}`));

Deno.test("paginate: pages have 50 rows and links to their neighbours", () => {
  const [first, second, third] = [at(""), at("?page=2"), at("?page=3")];
  assertEquals([first.items.length, first.items[0], first.previous], [50, 0, undefined]);
  assertEquals(first.next, "/keys?page=2");
  assertEquals([second.items[0], second.previous, second.next], [50, "/keys", "/keys?page=3"]);
  assertEquals([third.items.length, third.previous, third.next], [20, "/keys?page=2", undefined]);
});

Deno.test("paginate: an invalid page number gives the nearest page", () => {
  const first = ["?page=0", "?page=-3", "?page=x", "?page=1.5", "?page=", "?notice=key_revoked"];
  for (const search of first) assertEquals(at(search).items[0], 0, search);
  assertEquals(at("?page=99").items[0], 100);
  assertEquals(at("?page=Infinity").items[0], 0);
  assertEquals(paginate([], new URL("http://x/keys?page=2")), { items: [] });
});
