import { assertEquals } from "@std/assert";
import { EgressServer, PUBLIC_ADDRESS } from "@/tests/support/egress_server.ts";

Deno.test("Egress: a call to an allowed public host goes to the checked address, by its name", async () => {
  await using server = new EgressServer((request) =>
    new Response(`you asked ${request.url}`, { status: 201, headers: { "x-kind": "test" } })
  );
  const request = server.request("https://tools.example.com/a/b?c=d#e");
  const answer = await server.egress.fetch(request);
  assertEquals(answer.status, 201);
  assertEquals(answer.headers["x-kind"], "test");
  assertEquals(
    new TextDecoder().decode(answer.body),
    "you asked https://tools.example.com/a/b?c=d",
  );
  assertEquals(server.dialled, [PUBLIC_ADDRESS]);
  assertEquals(server.calls, [{
    host: "tools.example.com",
    address: PUBLIC_ADDRESS,
    method: "GET",
    status: 201,
    bytes: 43,
    ms: 0,
    hop: 0,
  }]);
});
