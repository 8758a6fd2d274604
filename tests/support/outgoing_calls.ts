/**
 * One call of a tool and one of a model provider, as a separate process with the test's environment.
 * Prints the result of each.
 *
 *     deno run -A tests/support/outgoing_calls.ts <port of a server on loopback>
 */
import { Egress } from "@/lib/egress/egress.ts";
import { ConnectionPool } from "@/lib/providers/transport/connection_pool.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { IncomingMessage } from "node:http";

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
  const connection = new ConnectionPool(`http://${host}/v1`);
  const request = connection.send({ path: "/provider", headers: {}, body: new Uint8Array() });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  const body = await Array.fromAsync(response);
  connection.close();
  return `${response.statusCode} ${body.map((chunk) => new TextDecoder().decode(chunk)).join("")}`;
}

console.log(await callTool());
console.log(await callProvider());
Deno.exit();
