/** No environment variable makes the service connect to a server whose certificate is invalid. */
import { assertEquals } from "@std/assert";

const CALLS = new URL("./support/tls_calls.ts", import.meta.url).pathname;
const FIXTURES = new URL("./fixtures/tls/", import.meta.url).pathname;

/** Every path that `tls_calls.ts` calls. */
const ADDRESSES = ["/", "/mcp", "/tool", "/vendor_a", "/vendor_b", "/vendor_c"];

/** The first segment of each path requested from a server whose certificate has an unknown authority. */
async function callsOf(env: Record<string, string>, flags: string[] = []) {
  const seen = new Set<string>();
  const [cert, key] = ["leaf.pem", "leaf.key"].map((name) =>
    Deno.readTextFileSync(FIXTURES + name)
  );
  const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {}, cert: cert!, key: key! };
  await using server = Deno.serve(listen, ({ url }) => {
    seen.add(`/${new URL(url).pathname.split("/")[1]}`);
    return new Response("no provider", { status: 400 });
  });
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...flags, CALLS, String((server.addr as Deno.NetAddr).port)],
    env: { NODE_NO_WARNINGS: "1", ...env },
    stderr: "null",
  }).output();
  assertEquals(success, true);
  return { seen: [...seen].sort(), results: JSON.parse(new TextDecoder().decode(stdout)) };
}

Deno.test("neither NODE_TLS_REJECT_UNAUTHORIZED=0 nor Deno's flag makes the service send a key or secret to an unverified server", async () => {
  const flags = ["--unsafely-ignore-certificate-errors"];
  const { seen, results } = await callsOf({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, flags);
  assertEquals(seen, []);
  const unreachable = "the model provider could not be reached";
  assertEquals(results.models, [unreachable, unreachable, unreachable]);
  assertEquals([results.form, results.embedding, results.page], [
    unreachable,
    unreachable,
    "not read",
  ]);
  assertEquals(results.tools.output.error.code, "tool_unreachable");
  assertEquals(results.tools.notes.length, 1);
});

Deno.test("NODE_EXTRA_CA_CERTS: certificates of a private authority are accepted for providers and tools", async () => {
  const { seen } = await callsOf({ NODE_EXTRA_CA_CERTS: `${FIXTURES}ca.pem` });
  assertEquals(seen, ADDRESSES);
});

Deno.test("DENO_CERT: certificates of a private authority are accepted for providers only", async () => {
  const { seen } = await callsOf({ DENO_CERT: `${FIXTURES}ca.pem` });
  assertEquals(seen, ["/vendor_a", "/vendor_b", "/vendor_c"]);
});

Deno.test("DENO_TLS_CA_STORE=system: the system's authorities are trusted", async () => {
  const env = { DENO_TLS_CA_STORE: "system", SSL_CERT_FILE: `${FIXTURES}ca.pem` };
  assertEquals((await callsOf(env)).seen, ADDRESSES);
});
