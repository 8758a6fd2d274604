import { assertEquals, assertStringIncludes } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { callTool } from "@/tests/support/toolsets.ts";

const URL_OF_TOOL = "https://tools.example.com/items";

interface Failure {
  error: { code: string; message: string };
}

async function failure(...call: Parameters<typeof callTool>): Promise<Failure["error"]> {
  return (await callTool(...call) as Failure).error;
}

function json(body: unknown, init: ResponseInit = {}): Response {
  return Response.json(body, init);
}

Deno.test("http tool: path, query, headers and body are filled and sent", async () => {
  await using server = new EgressServer(() => json({ ok: true }));
  const request = {
    method: "POST",
    url: "https://tools.example.com/items/{{id}}?page={{page}}",
    query: { q: "{{q}}", lang: "{{lang}}" },
    headers: { "X-Trace": "t-{{id}}", "X-Lang": "{{lang}}" },
    body: { id: "{{id}}", text: "for {{q}}", lang: "{{lang}}", fixed: [1, null] },
  };
  const args = { id: 7, q: "a b", page: 2 };
  assertEquals(await callTool(server, request, { args }), { status: 200, body: { ok: true } });
  const [seen] = server.seen;
  assertEquals(seen?.url, "https://tools.example.com/items/7?page=2&q=a%20b");
  assertEquals(seen?.headers.get("x-trace"), "t-7");
  assertEquals(seen?.headers.has("x-lang"), false);
  assertEquals(seen?.headers.get("content-type"), "application/json");
  assertEquals(JSON.parse(seen?.body ?? ""), { id: 7, text: "for a b", fixed: [1, null] });
});

Deno.test("http tool: a text body with its own content type is sent unchanged", async () => {
  await using server = new EgressServer(() => new Response(null, { status: 204 }));
  const request = {
    method: "PUT",
    url: URL_OF_TOOL,
    headers: { "Content-Type": "text/plain" },
    body: "a & {{b}}",
  };
  assertEquals(await callTool(server, request, { args: { b: "1&2" } }), { status: 204, body: "" });
  assertEquals(server.seen[0]?.body, "a & 1&2");
  assertEquals(server.seen[0]?.headers.get("content-type"), "text/plain");
});

Deno.test("http tool: a form body may be written as text or as an object", async () => {
  await using server = new EgressServer(() => json({}));
  const form = "application/x-www-form-urlencoded; charset=utf-8";
  for (const body of ["name={{name}}&role=user", { name: "{{name}}", role: "user" }]) {
    const request = {
      method: "POST",
      url: URL_OF_TOOL,
      headers: { "content-type": form },
      body,
    };
    await callTool(server, request, { args: { name: "bob&role=admin" } });
    assertEquals(server.seen.at(-1)?.body, "name=bob%26role%3Dadmin&role=user");
    assertEquals(server.seen.at(-1)?.headers.get("content-type"), form);
  }
});

Deno.test("http tool: a response is parsed as JSON if its type and body are JSON", async () => {
  const deep = "[".repeat(100) + "]".repeat(100);
  const cases: [body: BodyInit, type: string, expected: unknown][] = [
    ['{"a":[1,"x"]}', "application/json; charset=utf-8", { a: [1, "x"] }],
    ['{"a":1}', "application/problem+json", { a: 1 }],
    ['{"a":', "application/json", '{"a":'],
    [deep, "application/json", deep],
    ['{"a":1}', "text/plain", '{"a":1}'],
    ["<p>é</p>", "text/html", "<p>é</p>"],
    [new Uint8Array([0xe9]), "text/plain; charset=iso-8859-1", "é"],
    [new Uint8Array([1, 2, 3]), "image/png", "(image/png, 3 bytes)"],
  ];
  for (const [body, type, expected] of cases) {
    await using server = new EgressServer(() =>
      new Response(body, { headers: { "content-type": type } })
    );
    const output = await callTool(server, { url: URL_OF_TOOL });
    assertEquals(output, { status: 200, body: expected }, type);
  }
});

Deno.test("http tool: arguments that do not match the schema are not sent", async () => {
  await using server = new EgressServer(() => json({}));
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  for (const args of [{}, { n: "1" }, { n: null }, [], null, "n", 1]) {
    const error = await failure(server, { url: URL_OF_TOOL }, { args, tool: { parameters } });
    assertEquals(error.code, "tool_invalid_arguments", JSON.stringify(args));
  }
  assertEquals(server.seen, []);
});

Deno.test("http tool: an argument cannot add a header or leave its path segment", async () => {
  await using server = new EgressServer(() => json({}));
  const headers = { "x-a": "{{a}}" };
  for (const a of ["x\r\nx-admin: 1", "x\ny", "x\0", "日本"]) {
    const error = await failure(server, { url: URL_OF_TOOL, headers }, { args: { a } });
    assertEquals(error.code, "tool_invalid_arguments", JSON.stringify(a));
  }
  const url = "https://tools.example.com/items/{{a}}/public";
  const error = await failure(server, { url }, { args: { a: ".." } });
  assertEquals(error.code, "tool_invalid_arguments");
  assertEquals(server.seen, []);
});

Deno.test("http tool: a status other than 2xx is an error with an excerpt", async () => {
  const body = { message: "no  such\nitem", filler: "x".repeat(5000) };
  await using server = new EgressServer(() => json(body, { status: 404 }));
  const error = await failure(server, { url: URL_OF_TOOL }, { tool: { maxResponseBytes: 2000 } });
  assertEquals(error.code, "tool_http_error");
  assertStringIncludes(error.message, 'the server answered 404: {"message":"no such\\nitem"');
  assertEquals(error.message.length < 1100, true);
  await using empty = new EgressServer(() => new Response(null, { status: 503 }));
  const bare = await failure(empty, { url: URL_OF_TOOL });
  assertEquals(bare, { code: "tool_http_error", message: "the server answered 503" });
});

Deno.test("http tool: a request rejected by egress is a tool error with its code", async () => {
  await using server = new EgressServer(({ url }) =>
    url.endsWith("/away")
      ? new Response(null, { status: 302, headers: { location: "https://169.254.169.254/" } })
      : new Response("x".repeat(100))
  );
  const large = await failure(server, { url: URL_OF_TOOL }, { tool: { maxResponseBytes: 99 } });
  assertEquals(large.code, "tool_response_too_large");
  const away = await failure(server, { url: "https://tools.example.com/away" });
  assertEquals(away.code, "domain_not_allowed");
  const stranded = await failure(server, { url: "https://third.example.com/" });
  assertEquals(stranded.code, "domain_not_allowed");
});
