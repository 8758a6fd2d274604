/** The response to a raw request that no HTTP client would send. */
export async function sendRaw(url: string, request: string) {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const closing = request.replace("\r\n", "\r\nConnection: close\r\n");
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(closing));
  const chunks = await Array.fromAsync(connection.readable.pipeThrough(new TextDecoderStream()));
  const text = chunks.join("");
  const [head = ""] = text.split("\r\n\r\n");
  const [status, ...lines] = head.split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  return { status, headers, text };
}
