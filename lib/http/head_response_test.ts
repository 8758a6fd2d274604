import { assertEquals } from "@std/assert";
import { headResponse } from "./head_response.ts";

Deno.test("headResponse: keeps status and headers and adds the body's length in bytes", async () => {
  const init = { status: 404, headers: { "content-type": "application/json", etag: '"1"' } };
  const { status, headers, body } = await headResponse(new Response('"né"', init));
  assertEquals([status, body], [404, null]);
  assertEquals(headers.get("content-type"), "application/json");
  assertEquals(headers.get("etag"), '"1"');
  assertEquals(headers.get("content-length"), "5");
});

Deno.test("headResponse: returns a response without a body unchanged", async () => {
  const response = new Response(null, { status: 304 });
  assertEquals(await headResponse(response), response);
  assertEquals(response.headers.get("content-length"), null);
});

Deno.test("headResponse: cancels an event stream instead of reading it", async () => {
  const off = Promise.withResolvers<void>();
  const events = new ReadableStream({ cancel: () => off.resolve() });
  const headers = { "content-type": "text/event-stream; charset=utf-8" };
  const answer = await headResponse(new Response(events, { headers }));
  await off.promise;
  assertEquals([answer.body, answer.headers.get("content-length")], [null, null]);
});
