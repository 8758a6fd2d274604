/** A server that writes whatever bytes it is given, for responses that no HTTP server would send. */
export function serveRaw(
  respond: (request: string, connection: Deno.Conn) => Promise<void>,
) {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const open = new Set<Deno.Conn>();
  const serving: Promise<void>[] = [];
  const requests: string[] = [];
  const serve = async (connection: Deno.Conn) => {
    open.add(connection);
    try {
      const head = new Uint8Array(16_384);
      const length = await connection.read(head) ?? 0;
      const text = new TextDecoder().decode(head.subarray(0, length));
      requests.push(text.split("\r\n")[0] ?? "");
      await respond(text, connection);
    } catch {
      // The crawl hung up.
    } finally {
      open.delete(connection);
      try {
        connection.close();
      } catch {
        // It was closed with the server.
      }
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) serving.push(serve(connection));
  })();
  return {
    requests,
    url: (path = "/") => `http://127.0.0.1:${listener.addr.port}${path}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) connection.close();
      await accepting;
      await Promise.all(serving);
    },
  };
}

/** Writes the text until the other side hangs up. */
export async function writeForever(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text.repeat(Math.ceil(65_536 / text.length)));
  for (;;) await write(connection, bytes);
}

export async function write(connection: Deno.Conn, bytes: Uint8Array | string): Promise<void> {
  const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  for (let at = 0; at < all.length;) at += await connection.write(all.subarray(at));
}
