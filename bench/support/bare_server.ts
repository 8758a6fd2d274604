/**
 * A server without any code of ours: what Deno itself takes to start and answer.
 *
 *     deno run -A --no-config bench/support/bare_server.ts <port>
 */
const [port] = Deno.args;

Deno.serve(
  { port: Number(port), hostname: "127.0.0.1", onListen: () => {} },
  () => new Response("data: word0\n\n", { headers: { "content-type": "text/event-stream" } }),
);
