/** Calls of providers and tools ignore the proxy variables of the environment. */
import { assertEquals } from "@std/assert";

const CALLS = new URL("./support/outgoing_calls.ts", import.meta.url).pathname;

/** A proxy that accepts connections, records their first line and closes them. */
function startProxy() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const seen: string[] = [];
  const served = (async () => {
    for await (const connection of listener) {
      const first = new Uint8Array(200);
      const length = await connection.read(first);
      seen.push(new TextDecoder().decode(first.subarray(0, length ?? 0)).split("\r\n")[0]!);
      connection.close();
    }
  })();
  const { port } = listener.addr as Deno.NetAddr;
  const close = async () => {
    listener.close();
    await served;
  };
  return { url: `http://127.0.0.1:${port}`, seen, close };
}

Deno.test("HTTP_PROXY and similar variables: no call of a tool or a provider goes through a proxy", async () => {
  const proxy = startProxy();
  const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using server = Deno.serve(listen, ({ url }) => new Response(new URL(url).pathname));
  const names = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
  ];
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CALLS, String((server.addr as Deno.NetAddr).port)],
    env: {
      ...Object.fromEntries(names.map((name) => [name, proxy.url])),
      // Deno itself would ask for news of its releases.
      DENO_NO_UPDATE_CHECK: "1",
      NODE_USE_ENV_PROXY: "1",
      NO_PROXY: "",
      no_proxy: "",
    },
    stderr: "inherit",
  }).output();
  await proxy.close();
  assertEquals(new TextDecoder().decode(stdout).trim().split("\n"), [
    "200 /tool",
    "200 /v1/provider",
  ]);
  assertEquals([success, proxy.seen], [true, []]);
});
