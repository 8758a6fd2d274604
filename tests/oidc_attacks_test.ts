/** What a hostile or careless provider, and a forger of logout tokens, cannot do. */
import { assertEquals } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { OidcIssuer } from "./support/oidc_issuer.ts";
import { TestService } from "./support/service.ts";

async function withIssuer() {
  const stack = new AsyncDisposableStack();
  const issuer = stack.use(await OidcIssuer.start());
  const { runtime, advance } = instantRuntime(Date.now());
  const env = { SETUP_TOKEN, DEMO: "off", ...issuer.env };
  const service = stack.use(await TestService.start({ runtime, env }));
  await Dashboard.setUp(service);
  return { stack, issuer, service, advance };
}

type Parts = Awaited<ReturnType<typeof withIssuer>>;

/** Where a sign-in leads, and the cookie that it sets. */
async function signIn({ issuer, service }: Parts, changes: Record<string, string> = {}) {
  const started = await service.fetch("/sign-in/oidc", { redirect: "manual" });
  await started.body?.cancel();
  const location = started.headers.get("location")!;
  if (!location.startsWith("http")) return { location, user: new Dashboard(service) };
  const response = await service.fetch(issuer.authorize(location, changes), {
    headers: { cookie: started.headers.getSetCookie()[0]!.split(";", 1)[0]! },
    redirect: "manual",
  });
  await response.body?.cancel();
  const user = new Dashboard(service);
  const cookies = response.headers.getSetCookie().map((header) => header.split(";", 1)[0]!);
  user.cookie = cookies.find((cookie) => cookie.startsWith("dashboard=")) ?? "";
  return { location: response.headers.get("location"), user };
}

async function isSignedIn(user: Dashboard): Promise<boolean> {
  const response = await user.get("/home");
  await response.body?.cancel();
  return response.status === 200;
}

const INVALID = "/sign-in?problem=invalid";

function unsigned(claims: Record<string, unknown>): string {
  const parts = [{ alg: "none" }, claims].map((part) =>
    new TextEncoder().encode(JSON.stringify(part)).toBase64({
      ...{ alphabet: "base64url", omitPadding: true },
    })
  );
  return `${parts.join(".")}.`;
}

Deno.test("an ID token of another nonce, audience, issuer or time is rejected, and so is one without a signature", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  const { issuer } = parts;
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const wrong = [
    ...[{ nonce: "another" }, { nonce: undefined }, { aud: "another" }, { sub: "" }],
    ...[{ aud: ["agent-chat", "another"], azp: "another" }, { iss: "https://other.example" }],
    ...[{ exp: past, iat: past - 300 }, { exp: undefined }],
  ];
  for (const claims of wrong) {
    issuer.claims = claims;
    assertEquals((await signIn(parts)).location, INVALID, JSON.stringify(claims));
  }
  issuer.claims = {};
  issuer.makeToken = unsigned;
  assertEquals((await signIn(parts)).location, INVALID);
  // Signed by somebody else, with the kid of the issuer's key.
  await using other = await OidcIssuer.start();
  issuer.makeToken = (claims) => other.sign(claims);
  assertEquals((await signIn(parts)).location, INVALID);
  issuer.makeToken = undefined;
  assertEquals((await signIn(parts)).location, "/home");
});

Deno.test("an answer of another issuer, or without one, is rejected", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  assertEquals((await signIn(parts, { iss: "https://other.example" })).location, INVALID);
  assertEquals((await signIn(parts, { iss: "" })).location, INVALID);
  const denied = await signIn(parts, { error: "access_denied" });
  assertEquals(denied.location, "/sign-in?problem=denied");
});

Deno.test("a discovery document of another issuer, or an internal address, ends the sign-in", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  parts.issuer.metadata = { issuer: "https://other.example" };
  assertEquals((await signIn(parts)).location, "/sign-in?problem=provider");
  parts.issuer.metadata = { jwks_uri: "http://127.0.0.1:9/jwks" };
  assertEquals((await signIn(parts)).location, "/sign-in?problem=provider");
});

Deno.test("a new key of the provider is read when a token has it", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  assertEquals((await signIn(parts)).location, "/home");
  await parts.issuer.rotate();
  assertEquals((await signIn(parts)).location, INVALID);
  parts.advance(11_000);
  assertEquals((await signIn(parts)).location, "/home");
});

Deno.test("without a refresh token a sign-in lasts an hour", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  const { user } = await signIn(parts);
  parts.advance(59 * 60_000);
  assertEquals(await isSignedIn(user), true);
  parts.advance(2 * 60_000);
  assertEquals(await isSignedIn(user), false);
});

Deno.test("POST /sign-in/oidc/back-channel-logout: only a valid logout token ends sign-ins, and once", async () => {
  const parts = await withIssuer();
  await using _ = parts.stack;
  const { issuer, service } = parts;
  const send = async (token: string) => {
    const body = new URLSearchParams({ logout_token: token });
    const path = "/sign-in/oidc/back-channel-logout";
    const response = await service.fetch(path, { method: "POST", body });
    await response.body?.cancel();
    return response.status;
  };
  const { user } = await signIn(parts);
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const wrong = [
    ...[{ aud: "another" }, { iss: "https://other.example" }, { nonce: "n" }, { events: {} }],
    ...[{ events: undefined }, { jti: undefined }, { iat: undefined }, { sub: undefined }],
    ...[{ iat: past, exp: past + 120 }, { iat: past }],
  ];
  for (const changes of wrong) {
    assertEquals(await send(await issuer.logoutToken(changes)), 400, JSON.stringify(changes));
  }
  await using other = await OidcIssuer.start();
  assertEquals(await send(await other.logoutToken({ iss: issuer.url })), 400);
  assertEquals(await send(""), 400);
  assertEquals(await send(await issuer.logoutToken({ sub: "person-2" })), 200);
  assertEquals(await send(await issuer.logoutToken({ sid: "session-2" })), 200);
  assertEquals(await isSignedIn(user), true);
  const token = await issuer.logoutToken({ sub: undefined, sid: "session-1" });
  assertEquals(await send(token), 200);
  assertEquals(await isSignedIn(user), false);
  assertEquals(await send(token), 400);
  const again = await signIn(parts);
  assertEquals(await send(await issuer.logoutToken()), 200);
  assertEquals(await isSignedIn(again.user), false);
});
