import { assertEquals } from "@std/assert";
import { paginate, paginateStored } from "./paginate.ts";

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

/** A stored list of 120 numbers, and what was read of it. */
function stored(search: string) {
  const reads: string[] = [];
  const page = paginateStored({
    url: new URL(`http://x/keys${search}`),
    keys: { created: (n: number) => n, name: (n: number) => -n },
    by: { by: "created", isDescending: false },
    readPart: ({ offset, limit }) => {
      reads.push(`${offset}+${limit}`);
      return Promise.resolve(HUNDRED_AND_TWENTY.slice(offset, offset + limit));
    },
    readAll: () => {
      reads.push("all");
      return Promise.resolve(HUNDRED_AND_TWENTY);
    },
  });
  return page.then(({ part, sorting }) => ({ part, sorting, reads }));
}

Deno.test("paginateStored: in the stored order only the page is read, with the links of a whole list", async () => {
  for (const search of ["", "?page=2", "?page=3", "?page=0", "?sort=created&page=2", "?sort=x"]) {
    const { part, reads } = await stored(search);
    assertEquals(part, at(search), search);
    assertEquals(reads.length, 1);
    assertEquals(reads[0]!.endsWith("+51"), true);
  }
});

Deno.test("paginateStored: another order, and a page after the last one, read all", async () => {
  const byName = await stored("?sort=name");
  assertEquals([byName.part.items[0], byName.reads], [119, ["all"]]);
  assertEquals((await stored("?sort=-created")).part.items[0], 119);
  const late = await stored("?page=99");
  assertEquals([late.part.items[0], late.part.next, late.reads], [100, undefined, [
    "4900+51",
    "all",
  ]]);
});
