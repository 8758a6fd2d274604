import { assertEquals, assertThrows } from "@std/assert";
import { ApiError } from "../errors.ts";
import { entityTag, ifMatchVersion, isNotModified } from "./entity_tag.ts";

function request(name: string, value: string): Request {
  return new Request("http://127.0.0.1/", { headers: { [name]: value } });
}

Deno.test("ifMatchVersion: reads the version of a tag, weak or strong", () => {
  assertEquals(entityTag(3), '"3"');
  assertEquals(ifMatchVersion(request("if-match", entityTag(3))), 3);
  assertEquals(ifMatchVersion(request("if-match", 'W/"3"')), 3);
});

Deno.test("ifMatchVersion: no header and * are no condition", () => {
  assertEquals(ifMatchVersion(new Request("http://127.0.0.1/")), undefined);
  assertEquals(ifMatchVersion(request("if-match", "*")), undefined);
});

Deno.test("ifMatchVersion: a tag of somebody else's matches nothing", () => {
  for (const tag of ['"abc"', "3", '""', '"-1"', 'w/"3"']) {
    const error = assertThrows(() => ifMatchVersion(request("if-match", tag)), ApiError);
    assertEquals(error.code, "version_conflict");
  }
});

Deno.test("isNotModified: any of the tags may name the version", () => {
  const at3 = (value: string) => isNotModified(request("if-none-match", value), 3);
  for (const value of ['"3"', 'W/"3"', '"1", W/"3"', "*"]) assertEquals(at3(value), true, value);
  for (const value of ['"2"', "3", '"33"', ""]) assertEquals(at3(value), false, value);
  assertEquals(isNotModified(new Request("http://127.0.0.1/"), 3), false);
});
