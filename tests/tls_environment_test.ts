/** No variable of the environment makes the service talk to a server whose certificate is not valid. */
import { assertEquals } from "@std/assert";

const CALLS = new URL("./support/tls_calls.ts", import.meta.url).pathname;
const FIXTURES = new URL("./fixtures/tls/", import.meta.url).pathname;

/** Every address that a call of `tls_calls.ts` is for. */
const ADDRESSES = ["/", "/mcp", "/tool", "/vendor_a", "/vendor_b", "/vendor_c"];

/** The first part of each path that a server with a certificate of an unknown authority got to see. */
async function callsOf(env: Record<string, string>, flags: string[] = []) {
  const seen = new Set<string>();
  const [cert, key] = ["leaf.pem", "leaf.key"].map((name) =>
    Deno.readTextFileSync(FIXTURES + name)
  );
  const listen = { port: 0, hostname: "127.0.0.1", onListen: () => {}, cert: cert!, key: key! };
  await using server = Deno.serve(listen, ({ url }) => {
    seen.add(`/${new URL(url).pathname.split("/")[1]}`);
    return new Response("no vendor", { status: 400 });
  });
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...flags, CALLS, String((server.addr as Deno.NetAddr).port)],
    env: { NODE_NO_WARNINGS: "1", ...env },
    stderr: "null",
  }).output();
  assertEquals(success, true);
  return { seen: [...seen].sort(), told: JSON.parse(new TextDecoder().decode(stdout)) };
}

Deno.test("neither NODE_TLS_REJECT_UNAUTHORIZED=0 nor Deno's flag sends a key or secret to a stranger", async () => {
  const flags = ["--unsafely-ignore-certificate-errors"];
  const { seen, told } = await callsOf({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, flags);
  assertEquals(seen, []);
  const unreachable = "the model provider could not be reached";
  assertEquals(told.models, [unreachable, unreachable, unreachable]);
  assertEquals([told.form, told.embedding, told.page], [unreachable, unreachable, "not read"]);
  assertEquals(told.tools.output.error.code, "tool_unreachable");
  assertEquals(told.tools.notes.length, 1);
});

Deno.test("NODE_EXTRA_CA_CERTS lets vendors and tools have certificates of an own authority", async () => {
  const { seen } = await callsOf({ NODE_EXTRA_CA_CERTS: `${FIXTURES}ca.pem` });
  assertEquals(seen, ADDRESSES);
});

Deno.test("DENO_TLS_CA_STORE=system takes the authorities that the machine trusts", async () => {
  const env = { DENO_TLS_CA_STORE: "system", SSL_CERT_FILE: `${FIXTURES}ca.pem` };
  assertEquals((await callsOf(env)).seen, ADDRESSES);
});
