import { assertEquals } from "@std/assert";
import { sortHref, sortRows } from "./sort_rows.ts";

const ROWS = [{ name: "item 10", size: 3 }, { name: "Item 9", size: 20 }, {
  name: "ärmel",
  size: 3,
}];
const keys = {
  name: ({ name }: typeof ROWS[number]) => name,
  size: ({ size }: typeof ROWS[number]) => size,
};

function namesBy(sort: string): string[] {
  const url = new URL(`http://localhost/list?sort=${sort}`);
  const by = { by: "name", isDescending: false };
  return sortRows(ROWS, { url, keys, by }).rows.map(({ name }) => name);
}

Deno.test("sortRows: text as people sort it, numbers by size, equal rows in the given order", () => {
  assertEquals(namesBy("name"), ["ärmel", "Item 9", "item 10"]);
  assertEquals(namesBy("-name"), ["item 10", "Item 9", "ärmel"]);
  assertEquals(namesBy("size"), ["item 10", "ärmel", "Item 9"]);
  assertEquals(namesBy("-size"), ["Item 9", "item 10", "ärmel"]);
});

Deno.test("sortRows: an unknown column is the default one", () => {
  for (const sort of ["", "nope", "constructor", "-", "__proto__"]) {
    assertEquals(namesBy(sort), ["ärmel", "Item 9", "item 10"], sort);
  }
});

Deno.test("sortHref: the same column reverses, and the list starts at its first page", () => {
  const url = new URL("http://localhost/list?page=3&q=a%26b&notice=saved");
  const sorting = { by: "name", isDescending: false };
  assertEquals(sortHref(url, sorting, "name"), "/list?q=a%26b&sort=-name");
  assertEquals(
    sortHref(url, { ...sorting, isDescending: true }, "name"),
    "/list?q=a%26b&sort=name",
  );
  assertEquals(sortHref(url, sorting, "size"), "/list?q=a%26b&sort=size");
});
