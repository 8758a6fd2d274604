/**
 * The floor for a proxy in this runtime: request and answer go through as bytes, nothing is read.
 *
 *     deno run -A bench/gateway/passthrough.ts <base URL of the vendor>
 */
const [vendor = ""] = Deno.args;

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
}, async (request) => {
  const { pathname } = new URL(request.url);
  const { method, body } = request;
  const headers = { "content-type": "application/json" };
  const answer = await fetch(vendor + pathname, { method, headers, body });
  return new Response(answer.body, { headers: { "content-type": "text/event-stream" } });
});
