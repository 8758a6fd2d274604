/** A client that disconnects while sending a body is not a service error. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectJson } from "./support/expect_response.ts";
import { TestService } from "./support/service.ts";

async function start() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const { cookie } = await Dashboard.setUp(service);
  const key = await service.key(["agents:write", "knowledge:write", "widget:mint"]);
  const json = { name: "Shop" };
  const made = await service.fetch("/v1/knowledge-bases", { method: "POST", key, json });
  const { id: base } = await expectJson(made, 201);
  const { id: agent } = await service.agent(key);
  return { service, cookie, key, base, agent };
}

/** Sends half of a request and closes the connection. */
async function sendHalf(url: string, head: string[], half: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const text = `${head.join("\r\n")}\r\n\r\n${half}`;
  await connection.write(new TextEncoder().encode(text));
  connection.close();
}

interface Line {
  level: string;
  message: string;
  status?: number;
  route?: string;
}

const linesOf = ({ logged }: TestService): Line[] => logged.map((line) => JSON.parse(line));

Deno.test("every route: a client that disconnects while sending its body logs one line at debug level", async () => {
  const { service, cookie, key, base, agent } = await start();
  await using _ = service;
  const bearer = `Authorization: Bearer ${key}`;
  const signedIn = [`Cookie: ${cookie}`, `Origin: ${service.url}`];
  const json = "Content-Type: application/json";
  const form = "Content-Type: application/x-www-form-urlencoded";
  const multipart = "Content-Type: multipart/form-data; boundary=x";
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nHal';
  const documents = `/v1/knowledge-bases/${base}/documents`;
  const sent: [string, string[], string][] = [
    ["POST /v1/agents", [bearer, json], '{"name":'],
    ["PATCH /v1/agents/:id", [bearer, json], '{"name":'],
    ["DELETE /v1/agents/:id", [bearer, json], "{"],
    ["POST /v1/chat/stream", [bearer, json], '{"agentId":'],
    [`POST ${documents}`, [bearer, json], '{"title":'],
    [`POST ${documents}`, [bearer, multipart], file],
    ["POST /sign-in", [form], "email=a%40b"],
    ["POST /agents/new", [...signedIn, form], "name=Half"],
    ["POST /agents/:id/try", [...signedIn, json], '{"agent":'],
    [`POST /knowledge/${base}/documents`, [...signedIn, multipart], file],
    [
      `POST /knowledge/${base}/documents`,
      [...signedIn, multipart, "Accept: application/json"],
      file,
    ],
  ];
  for (const [line, headers, half] of sent) {
    for (const length of ["Content-Length: 1000", "Transfer-Encoding: chunked"]) {
      service.logged.length = 0;
      const start = `${line.replace(":id", agent)} HTTP/1.1`;
      const body = length.startsWith("T") ? `${half.length.toString(16)}\r\n${half}\r\n` : half;
      await sendHalf(service.url, [start, "Host: x", ...headers, length], body);
      // The service notices the disconnect only when its side of the connection closes.
      const isExpected = ({ status, level }: Line) => status === 499 || level === "error";
      while (!linesOf(service).some(isExpected)) await nextTurn();
      const [first, ...more] = linesOf(service);
      const actual = [first?.level, first?.message, more.length];
      const expected = ["debug", "client disconnected while sending its body", 0];
      assertEquals(actual, expected, `${line}, ${length}: ${service.logged.join("")}`);
      assert(!service.logged.join("").includes("    at "), line);
    }
  }
  assertEquals((await service.fetch("/healthz")).status, 200);
});

/** Lets the server run one turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
