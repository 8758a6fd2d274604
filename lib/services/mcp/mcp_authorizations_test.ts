import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import {
  ADMIN,
  authorize,
  bothServers,
  MCP_URL,
  mcpProcess,
  TENANT,
} from "@/tests/support/mcp_connections.ts";
import { MockAuthorizationServer } from "@/tests/support/mock_authorization_server.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { keys } from "../../store/keys/keys.ts";
import { McpConnectError, type McpConnectProblem } from "./mcp_connect_error.ts";

const CODE = { grantType: "authorization_code" as const };
const signal = new AbortController().signal;

async function rejects(work: Promise<unknown>, problem: McpConnectProblem): Promise<void> {
  const error = await assertRejects(() => work, McpConnectError);
  assertEquals(error.problem, problem);
}

Deno.test("McpAuthorizations: a user confirms the hosts, signs in, and the server gets a token", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const { authorizations } = process;
  const confirmation = await authorizations.check(ADMIN, { url: MCP_URL, ...CODE });
  assertEquals(confirmation.hosts, ["auth.example.com"]);
  assertEquals(server.seen.map(({ method, url }) => `${method} ${new URL(url).pathname}`), [
    "POST /mcp",
    "GET /.well-known/oauth-protected-resource/mcp",
    "GET /.well-known/oauth-authorization-server",
  ]);
  assertEquals(await authorizations.find(TENANT, MCP_URL), undefined);
  const signIn = await authorizations.confirm(ADMIN, { url: MCP_URL, id: confirmation.id });
  assertEquals(new URL(signIn!).searchParams.get("resource"), MCP_URL);
  const callback = mock.authorize(signIn!);
  const { searchParams, pathname } = new URL(callback);
  const params = {
    serverId: pathname.split("/").at(-1)!,
    state: searchParams.get("state")!,
    code: searchParams.get("code")!,
    iss: mock.issuer,
    error: undefined,
  };
  assertEquals(await authorizations.finish(ADMIN, params), MCP_URL);
  const token = await process.tokens.current({ tenant: TENANT, url: MCP_URL, signal });
  assertEquals(mock.resourceOf(token!), MCP_URL);
  const head = await authorizations.find(TENANT, MCP_URL);
  assertEquals([head?.state, head?.connectedBy, head?.isRenewable], [
    "connected",
    ADMIN.email,
    true,
  ]);
  await rejects(authorizations.finish(ADMIN, params), "restart");
});

Deno.test("McpAuthorizations: only the sign-in that began a connection can finish it, once and in time", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const { authorizations, runtime } = process;
  const params = await authorize(process, mock);
  const other = { ...ADMIN, signInCookie: "cookie-of-another" };
  await rejects(authorizations.finish(other, params), "restart");
  await rejects(authorizations.finish({ ...ADMIN, tenant: "other" }, params), "restart");
  await rejects(authorizations.finish(ADMIN, { ...params, state: "guessed" }), "restart");
  await runtime.advance(11 * 60_000);
  await rejects(authorizations.finish(ADMIN, params), "restart");
  const again = await authorize(process, mock);
  await authorizations.finish(ADMIN, again);
  assertEquals(mock.tokenRequests.length, 1);
});

Deno.test("McpAuthorizations: a response of another issuer is rejected, with or without a name", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  for (const iss of ["https://evil.example.com", undefined]) {
    const params = await authorize(process, mock);
    await rejects(process.authorizations.finish(ADMIN, { ...params, iss }), "issuer_mismatch");
  }
  assertEquals(mock.tokenRequests, []);
});

Deno.test("McpAuthorizations: a code for one server's redirect address is worthless at another's", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const params = await authorize(process, mock);
  const elsewhere = { ...params, serverId: "another-server-of-this-tenant" };
  await rejects(process.authorizations.finish(ADMIN, elsewhere), "restart");
  assertEquals(mock.tokenRequests, []);
});

Deno.test("McpAuthorizations: where clients are addresses, nothing is registered", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer({
    metadata: { client_id_metadata_document_supported: true, registration_endpoint: undefined },
  });
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const redirect = await process.authorizations.redirectUri(MCP_URL);
  const document = process.authorizations.clientDocument(redirect.split("/").at(-1)!)!;
  assertEquals(document.redirect_uris, [redirect]);
  // As the authorization server reads it at this address.
  mock.addClient(document.client_id, { redirectUris: document.redirect_uris });
  await process.authorizations.finish(ADMIN, await authorize(process, mock));
  assertEquals(mock.tokenRequests[0]!.get("client_id"), document.client_id);
  const token = await process.tokens.current({ tenant: TENANT, url: MCP_URL, signal });
  assertEquals(mock.isValid(token), true);
});

Deno.test("McpAuthorizations: a client connects as itself with its secret", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  mock.addClient("ours", { redirectUris: [], secret: "s3cret-of-ours" });
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const input = { clientId: "ours", clientSecret: "s3cret-of-ours" };
  const grantType = "client_credentials" as const;
  await rejects(process.authorizations.check(ADMIN, { url: MCP_URL, grantType }), "no_client");
  const { id } = await process.authorizations.check(ADMIN, { url: MCP_URL, grantType, ...input });
  assertEquals(await process.authorizations.confirm(ADMIN, { url: MCP_URL, id }), undefined);
  const request = { tenant: TENANT, url: MCP_URL, signal };
  const first = await process.tokens.current(request);
  await process.runtime.advance(3_600_000);
  const second = await process.tokens.current(request);
  assertEquals([mock.isValid(second), first === second], [true, false]);
});

Deno.test("McpAuthorizations: disconnecting revokes and deletes, and only in one's own tenant", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  await process.authorizations.finish(ADMIN, await authorize(process, mock));
  await process.authorizations.disconnect("another tenant", MCP_URL);
  assertEquals(mock.revoked, []);
  await process.authorizations.disconnect(TENANT, MCP_URL);
  assertEquals(mock.revoked.map((token) => token.split("-")[0]), ["refresh"]);
  const request = { tenant: TENANT, url: MCP_URL, signal };
  assertEquals(await process.tokens.current(request), undefined);
});

Deno.test("McpAuthorizations: a connection that is not finished leaves nothing in the store", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const stored = () => Array.fromAsync(kv.list({ prefix: keys.mcpAuthorizations(TENANT) }));
  const denied = { ...await authorize(process, mock), error: "access_denied" };
  assertEquals((await stored()).length, 1);
  await rejects(process.authorizations.finish(ADMIN, denied), "denied");
  assertEquals(await stored(), []);
});

Deno.test("McpAuthorizations: a response for a server that cannot exist starts again", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const { authorizations } = mcpProcess(kv, { server });
  // The store rejects keys of more than 2 KiB.
  const params = { state: "state", code: "code", error: undefined, iss: mock.issuer };
  for (const serverId of ["x".repeat(3_000), "", "\ud800"]) {
    await rejects(authorizations.finish(ADMIN, { ...params, serverId }), "restart");
  }
});

Deno.test("McpAuthorizations: connections that began together do not exceed the limit", async () => {
  using kv = await openTestKv();
  const mock = new MockAuthorizationServer();
  await using server = new EgressServer(bothServers(mock));
  const process = mcpProcess(kv, { server });
  const params = await authorize(process, mock);
  for (let n = 0; n < 100; n++) {
    const url = `https://${n}.example.com/mcp`;
    const snapshot = await process.store.read(TENANT, url);
    await process.store.write(snapshot, { head: { url, state: "connected" } });
  }
  await rejects(process.authorizations.finish(ADMIN, params), "too_many");
  assertEquals(mock.tokenRequests, []);
});
