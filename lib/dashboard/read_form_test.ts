import { assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "fresh";
import { systemRuntime } from "../platform/runtime.ts";
import { readForm } from "./read_form.ts";

function post(body: BodyInit, type = "application/x-www-form-urlencoded"): Request {
  return new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { "content-type": type },
  });
}

Deno.test("readForm: normalizes line breaks", async () => {
  const form = await readForm(post("a=one%0D%0Atwo&b=%E2%82%AC&b=2"), systemRuntime);
  assertEquals(form.get("a"), "one\ntwo");
  assertEquals(form.getAll("b"), ["€", "2"]);
});

Deno.test("readForm: rejects other content types and bodies over 2 MiB", async () => {
  const json = await assertRejects(
    () => readForm(post("{}", "application/json"), systemRuntime),
    HttpError,
  );
  assertEquals(json.status, 415);
  const large = post("a=" + "x".repeat(2 * 1_048_576));
  assertEquals((await assertRejects(() => readForm(large, systemRuntime), HttpError)).status, 413);
});
