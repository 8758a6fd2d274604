import { assertEquals } from "@std/assert";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { Egress } from "./egress.ts";
import { EgressError } from "./egress_error.ts";

/** Result of a call to a server that sends exactly `bytes`: status and text, or the error code. */
async function resultOf(
  bytes: string | Uint8Array<ArrayBuffer>,
  maxResponseBytes = 1_000,
): Promise<string> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    // The client may hang up first.
    await new Response(all).body!.pipeTo(connection.writable).catch(() => {});
  })().catch(() => {});
  const { port } = listener.addr as Deno.NetAddr;
  const host = `127.0.0.1:${port}`;
  const egress = new Egress({ allow: [host], runtime: instantRuntime().runtime });
  try {
    const { status, body } = await egress.fetch({
      method: "GET",
      tenant: "tenant",
      url: new URL(`http://${host}/`),
      headers: {},
      allowedDomains: [host],
      timeoutMs: 10_000,
      maxResponseBytes,
      signal: new AbortController().signal,
    });
    return `${status} ${new TextDecoder().decode(body)}`;
  } catch (error) {
    if (error instanceof EgressError) return error.code;
    throw error;
  } finally {
    await served;
    listener.close();
  }
}

const OK = "HTTP/1.1 200 OK\r\n";

Deno.test("Egress: a server that sends no or partial HTTP is unreachable", async () => {
  const garbage = [
    "",
    "\r\n\r\n",
    "hello, this is no HTTP\r\n\r\n",
    "<html>old</html>",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "HTTP/1.1 abc\r\n\r\n",
    `${OK}no colon here\r\n\r\n`,
    `${OK}content-length: -1\r\n\r\nx`,
    `${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`,
    `${OK}content-length: 100\r\n\r\ncut short`,
    `${OK}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
    `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhel`,
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    new Uint8Array(64).fill(0xff),
  ];
  for (const bytes of garbage) {
    assertEquals(await resultOf(bytes), "tool_unreachable", JSON.stringify(bytes));
  }
});

Deno.test("Egress: endless headers are cut off", async () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => `x-${n}: ${n}\r\n`).join("");
  assertEquals(await resultOf(OK + lines), "tool_response_too_large");
  assertEquals(await resultOf(`${OK}x: ${"y".repeat(100_000)}`), "tool_response_too_large");
  const trailers = `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n${lines}\r\n`;
  assertEquals((await resultOf(trailers)).startsWith("tool_"), true);
});

Deno.test("Egress: the framing of the body is bounded", async () => {
  const head = `${OK}transfer-encoding: chunked\r\n\r\n`;
  const extension = `${head}1;${"x=y;".repeat(500_000)}\r\nh\r\n0\r\n\r\n`;
  assertEquals((await resultOf(extension)).startsWith("tool_"), true);
  // Many short extensions, each with one byte of body.
  const many = head + `1;${"x".repeat(9_000)}\r\nh\r\n`.repeat(200) + "0\r\n\r\n";
  assertEquals(await resultOf(many), "tool_response_too_large");
  const honest = `${head}${"1\r\nh\r\n".repeat(1_000)}0\r\n\r\n`;
  assertEquals(await resultOf(honest), `200 ${"h".repeat(1_000)}`);
});

Deno.test("Egress: a response has at most 16,000 chunks, whatever their size", async () => {
  const inChunks = (count: number) =>
    resultOf(
      `${OK}transfer-encoding: chunked\r\n\r\n${"1\r\nh\r\n".repeat(count)}0\r\n\r\n`,
      262_144,
    );
  assertEquals(await inChunks(16_000), `200 ${"h".repeat(16_000)}`);
  assertEquals(await inChunks(16_001), "tool_response_too_large");
  assertEquals(await inChunks(200_000), "tool_response_too_large");
});

Deno.test("Egress: endless informational responses end the call", async () => {
  for (const head of ["103 Early Hints\r\nlink: </a>", "100 Continue"]) {
    const flood = `HTTP/1.1 ${head}\r\n\r\n`.repeat(20);
    assertEquals(await resultOf(`${flood}${OK}content-length: 2\r\n\r\nok`), "tool_unreachable");
  }
});

Deno.test("Egress: unusual but valid responses are read", async () => {
  assertEquals(await resultOf(`${OK}\r\nuntil the end`), "200 until the end");
  assertEquals(await resultOf("HTTP/1.0 200 OK\r\n\r\nold"), "200 old");
  assertEquals(
    await resultOf(`${OK}transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n`),
    "200 hello",
  );
  const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  assertEquals(await resultOf(`${early}${OK}content-length: 2\r\n\r\nok`), "200 ok");
  assertEquals(await resultOf("HTTP/1.1 404 \r\ncontent-length: 2\r\n\r\nno"), "404 no");
});

Deno.test("Egress: a garbled redirect is rejected", async () => {
  const redirect = (location: string) =>
    resultOf(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
  assertEquals(await redirect("http://"), "tool_unreachable");
  assertEquals(await redirect("http://127.0.0.1:1/"), "domain_not_allowed");
  assertEquals(await redirect("http://169.254.169.254/"), "domain_not_allowed");
});
