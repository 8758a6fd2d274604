import { assertEquals, assertThrows } from "@std/assert";
import { renderRequest } from "./render_request.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";

const REQUEST = { method: "POST", url: "https://tools.example.com/" } as const;

Deno.test("renderRequest: limits all arguments together to 1 MiB of characters", () => {
  const lookup = createLookup({ a: "x".repeat(32_768) }, {
    secrets: new Map(),
    visitor: new Map(),
  });
  const render = (body: unknown) =>
    renderRequest({ ...REQUEST, body: body as string }, lookup).body?.length;
  assertEquals(render("{{a}} ".repeat(32)), 32 * 32_769 + 2);
  for (
    const body of ["{{a}} ".repeat(12_000), Array(12_000).fill("{{a}}"), { a: "{{a}}".repeat(33) }]
  ) {
    const error = assertThrows(() => render(body), ToolError, "more than 1048576 characters");
    assertEquals(error.code, "tool_invalid_arguments");
  }
  const headers = { "x-a": "{{a}}".repeat(20), "x-b": "{{a}}".repeat(20) };
  assertThrows(() => renderRequest({ ...REQUEST, headers }, lookup), ToolError, "more than");
});
