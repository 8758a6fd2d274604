/**
 * The minimum cost of a proxy in this runtime: it passes request and response on as bytes.
 *
 *     deno run -A bench/gateway/passthrough.ts <base URL of the provider>
 */
const [providerUrl = ""] = Deno.args;

Deno.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
}, async (request) => {
  const { pathname } = new URL(request.url);
  const { method, body } = request;
  const headers = { "content-type": "application/json" };
  const response = await fetch(providerUrl + pathname, { method, headers, body });
  return new Response(response.body, { headers: { "content-type": "text/event-stream" } });
});
