/** MCP servers and authorization servers whose metadata leads somewhere else. */
import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer, type SeenRequest } from "@/tests/support/egress_server.ts";
import {
  ADMIN,
  authorize,
  bothServers,
  MCP_URL,
  mcpProcess,
} from "@/tests/support/mcp_connections.ts";
import { MockAuthorizationServer } from "@/tests/support/mock_authorization_server.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { McpConnectError } from "./mcp_connect_error.ts";

const INPUT = { url: MCP_URL, grantType: "authorization_code" as const };
const METADATA_SERVICE = "169.254.169.254";

/** What comes of a connection, and the addresses and hosts that were asked on the way. */
async function attempt(
  mock: MockAuthorizationServer,
  { answer = bothServers(mock), addresses = {} }: {
    answer?: (seen: SeenRequest) => Response | Promise<Response>;
    addresses?: Record<string, string[]>;
  } = {},
): Promise<{ problem: string; dialled: Set<string>; hosts: Set<string> }> {
  using kv = await openTestKv();
  await using server = new EgressServer(answer, { addresses });
  const { authorizations } = mcpProcess(kv, { server });
  const error = await assertRejects(async () => {
    const { id } = await authorizations.check(ADMIN, INPUT);
    await authorizations.confirm(ADMIN, { url: MCP_URL, id });
  }, McpConnectError);
  const hosts = new Set(server.seen.map(({ url }) => new URL(url).host));
  return { problem: error.problem, dialled: new Set(server.dialled), hosts };
}

Deno.test("mcp: metadata that names private addresses reaches none of them", async () => {
  const addresses = {
    "inside.example.com": ["127.0.0.1"],
    "cloud.example.com": [METADATA_SERVICE],
  };
  for (
    const [issuer, problem] of [
      [`https://${METADATA_SERVICE}`, "unreachable"],
      ["https://localhost", "unreachable"],
      ["https://inside.example.com", "unreachable"],
      ["https://cloud.example.com", "unreachable"],
      ["http://auth.example.com", "unreachable"],
      ["file:///etc/passwd", "invalid_metadata"],
    ] as const
  ) {
    const seen = await attempt(new MockAuthorizationServer({ issuer }), {
      addresses: { ...addresses, localhost: ["127.0.0.1"] },
    });
    assertEquals([issuer, seen.problem, [...seen.hosts]], [issuer, problem, ["tools.example.com"]]);
  }
});

Deno.test("mcp: endpoints at private addresses are never connected to", async () => {
  using kv = await openTestKv();
  const secret = `https://${METADATA_SERVICE}/latest/meta-data/`;
  const registering = new MockAuthorizationServer({ metadata: { registration_endpoint: secret } });
  const { problem, dialled } = await attempt(registering);
  assertEquals([problem, dialled.has(METADATA_SERVICE)], ["registration_rejected", false]);
  const mock = new MockAuthorizationServer({ metadata: { token_endpoint: secret } });
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const params = await authorize(process, mock);
  const finishing = process.authorizations.finish(ADMIN, params);
  assertEquals((await assertRejects(() => finishing, McpConnectError)).problem, "code_rejected");
  assertEquals(server.dialled.includes(METADATA_SERVICE), false);
});

Deno.test("mcp: a challenge cannot send for metadata to another origin", async () => {
  const mock = new MockAuthorizationServer();
  const elsewhere = 'Bearer resource_metadata="https://evil.other.example/metadata"';
  const { problem, hosts } = await attempt(mock, {
    answer: () => new Response(null, { status: 401, headers: { "www-authenticate": elsewhere } }),
  });
  assertEquals([problem, [...hosts]], ["resource_mismatch", ["tools.example.com"]]);
});

Deno.test("mcp: no redirect is followed, to another host or the same one", async () => {
  const mock = new MockAuthorizationServer();
  const both = bothServers(mock);
  for (const path of ["/.well-known/oauth-authorization-server", "/register"]) {
    for (const location of ["https://evil.other.example/x", "/elsewhere"]) {
      const { hosts, problem } = await attempt(mock, {
        answer: (seen) =>
          new URL(seen.url).pathname === path
            ? new Response(null, { status: 307, headers: { location } })
            : both(seen),
      });
      assertEquals([...hosts], ["tools.example.com", "auth.example.com"]);
      assertEquals(problem, path === "/register" ? "registration_rejected" : "not_protected");
    }
  }
});

Deno.test("mcp: a server cannot speak for another resource or issuer, nor turn the names of permissions", async () => {
  const mock = new MockAuthorizationServer();
  const foreign = { resource: "https://bank.example.com/mcp" };
  const { problem } = await attempt(mock, { answer: bothServers(mock, { metadata: foreign }) });
  assertEquals(problem, "resource_mismatch");
  // People read the permissions before they confirm: "write" that is turned reads as another word.
  const turned = { scopes_supported: ["read", "\u202eetirw"] };
  const hidden = await attempt(mock, { answer: bothServers(mock, { metadata: turned }) });
  assertEquals(hidden.problem, "invalid_metadata");
  const liar = new MockAuthorizationServer({ metadata: { issuer: "https://bank.example.com" } });
  assertEquals((await attempt(liar)).problem, "issuer_mismatch");
});

Deno.test("mcp: an authorization server without PKCE, or with broken metadata, is rejected", async () => {
  const plain = { code_challenge_methods_supported: ["plain"] };
  const weak = new MockAuthorizationServer({ metadata: plain });
  assertEquals((await attempt(weak)).problem, "no_pkce");
  for (
    const metadata of [
      { authorization_endpoint: "javascript:alert(1)" },
      { authorization_endpoint: "ftp://auth.example.com" },
      { authorization_endpoint: "http://auth.example.com/authorize" },
      { authorization_endpoint: "https://a,b.example.com" },
      { authorization_endpoint: "https://a;frame-ancestors" },
      { token_endpoint: 1 },
      { token_endpoint: "https://user:password@auth.example.com/token" },
    ]
  ) {
    const broken = new MockAuthorizationServer({ metadata });
    assertEquals((await attempt(broken)).problem, "invalid_metadata");
  }
});
