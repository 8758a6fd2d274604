import { assertEquals } from "@std/assert";
import { entityTag, ifMatchVersions, isNotModified } from "./entity_tag.ts";

function request(name: string, value: string): Request {
  return new Request("http://127.0.0.1/", { headers: { [name]: value } });
}

const match = (value: string) => ifMatchVersions(request("if-match", value));

Deno.test("ifMatchVersions: reads the version of a tag, weak or strong", () => {
  assertEquals(entityTag(3), '"3"');
  assertEquals(match(entityTag(3)), [3]);
  assertEquals(match('W/"3"'), [3]);
});

Deno.test("ifMatchVersions: reads every tag of a list and ignores unknown tags", () => {
  assertEquals(match('"1", W/"2","3"'), [1, 2, 3]);
  assertEquals(match(', "1" ,, "2",'), [1, 2]);
  assertEquals(match('"v,7", "8", "x", ""'), [8]);
  const twice = new Headers([["if-match", '"1"'], ["if-match", '"2"']]);
  assertEquals(ifMatchVersions(new Request("http://127.0.0.1/", { headers: twice })), [1, 2]);
});

Deno.test("ifMatchVersions: a missing header and * are no condition", () => {
  assertEquals(ifMatchVersions(new Request("http://127.0.0.1/")), undefined);
  assertEquals(match("*"), undefined);
});

Deno.test("ifMatchVersions: a malformed list contains no version", () => {
  const broken = ["3", '"-1"', 'w/"3"', '"3', '"1" "3"', '"1", 3', '*, "3"', '"3", *', "", ","];
  for (const value of broken) assertEquals(match(value), [], value);
});

Deno.test("ifMatchVersions: parses a long malformed header quickly", () => {
  assertEquals(match('"1",'.repeat(2_000))?.length, 2_000);
  assertEquals(match('"1", '.repeat(2_000) + "x"), []);
  assertEquals(match(" ,".repeat(4_000) + "x"), []);
});

Deno.test("isNotModified: matches any tag of the list, and *", () => {
  const at3 = (value: string) => isNotModified(request("if-none-match", value), 3);
  for (const value of ['"3"', 'W/"3"', '"1", W/"3"', '"a,b","3"', "*"]) {
    assertEquals(at3(value), true, value);
  }
  for (const value of ['"2"', "3", '"33"', "", '"3", *', '"x\t"3"']) {
    assertEquals(at3(value), false, value);
  }
  assertEquals(isNotModified(new Request("http://127.0.0.1/"), 3), false);
});
