/**
 * One call of a tool and one of a model provider, as a separate process with the test's environment.
 * Prints the result of each.
 *
 *     deno run -A tests/support/outgoing_calls.ts <port of a server on loopback>
 */
import { Egress } from "@/lib/egress/egress.ts";
import { ConnectionPool } from "@/lib/providers/transport/connection_pool.ts";
import { HttpExchange } from "@/lib/providers/transport/http_exchange.ts";
import { readResponseBody } from "@/lib/providers/transport/read_body.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";

const host = `127.0.0.1:${Deno.args[0]}`;

async function callTool(): Promise<string> {
  const egress = new Egress({ allow: [host], runtime: systemRuntime });
  const { status, body } = await egress.fetch({
    method: "GET",
    tenant: "tenant",
    url: new URL(`http://${host}/tool`),
    headers: {},
    allowedDomains: [host],
    timeoutMs: 10_000,
    maxResponseBytes: 1_000,
    signal: new AbortController().signal,
  });
  return `${status} ${new TextDecoder().decode(body)}`;
}

async function callProvider(): Promise<string> {
  const pool = new ConnectionPool(`http://${host}/v1`);
  const exchange = new HttpExchange({
    pool,
    post: { path: "/provider", headers: {}, body: new Uint8Array() },
    runtime: systemRuntime,
    signal: new AbortController().signal,
    connectMs: 10_000,
    responseMs: 10_000,
    idleMs: 10_000,
  });
  const { status } = await exchange.head;
  const body = await readResponseBody(exchange, 1_000);
  pool.close();
  return `${status} ${body}`;
}

console.log(await callTool());
console.log(await callProvider());
Deno.exit();
