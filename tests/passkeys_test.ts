/** Passkeys of the dashboard, with the requests that a browser makes and those that an attacker makes. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CHALLENGE_MS } from "@/lib/services/factors/passkey_challenges.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";
import { SoftAuthenticator, type SoftOptions } from "./support/soft_authenticator.ts";

const PUBLIC_URL = "https://chat.example.com";
const HERE: SoftOptions = { origin: PUBLIC_URL };

/** A public service, an owner with a passkey, and requests as their browser sends them. */
async function fixture() {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const env = { SETUP_TOKEN, PUBLIC_URL };
  const service = await TestService.start({ env, runtime: { now: () => clock.ms } });
  await Dashboard.setUp(service);
  const owner = await Dashboard.join(service, "owner");
  const cookieToken = owner.cookie.slice("dashboard=".length);
  const { passkeys, signIn } = service.service;
  const user = (await signIn.authenticate(cookieToken))!;
  const authenticator = new SoftAuthenticator();
  const options = await passkeys.creationOptions(user, PUBLIC_URL);
  const response = await authenticator.create(options, HERE);
  assertEquals(
    await passkeys.add(user, { origin: PUBLIC_URL, name: "Laptop", response }),
    "added",
  );
  await signIn.recordFactor(cookieToken, "passkey");
  /** Signs in with what a passkey signed, and returns where that leads. */
  const enter = async (signed: unknown): Promise<string> => {
    const answer = await service.fetch("/sign-in/passkey", {
      method: "POST",
      body: new URLSearchParams({ passkey: JSON.stringify(signed), next: "/agents" }),
      headers: { origin: PUBLIC_URL },
    });
    assertEquals(answer.status, 303);
    await answer.body?.cancel();
    return answer.headers.get("location")!;
  };
  const ask = () => passkeys.requestOptions({ kind: "sign in" }, PUBLIC_URL);
  return { service, clock, owner, user, authenticator, enter, ask, passkeys };
}

Deno.test("a passkey alone signs in, once for each challenge", async () => {
  const { service, authenticator, ask, enter } = await fixture();
  await using _ = service;
  const signed = await authenticator.sign(await ask(), HERE);
  assertEquals(await enter(signed), "/agents");
  assertEquals(await enter(signed), "/sign-in?problem=passkey&next=%2Fagents");
});

Deno.test("what no honest browser sends does not sign in", async () => {
  const { service, clock, user, authenticator, ask, enter, passkeys } = await fixture();
  await using _ = service;
  const rejected = async (signed: unknown, why: string) =>
    assertStringIncludes(await enter(signed), "problem=passkey", why);
  await rejected({}, "nothing");
  await rejected(null, "null");
  await rejected(
    await authenticator.sign(await ask(), {
      origin: "https://evil.example",
      rpId: "chat.example.com",
    }),
    "a page of another origin",
  );
  await rejected(
    await authenticator.sign(await ask(), { ...HERE, rpId: "evil.example" }),
    "another relying party",
  );
  await rejected(
    await authenticator.sign(await ask(), { ...HERE, isVerified: false }),
    "a device that did not verify the person",
  );
  await rejected(
    await authenticator.sign({ challenge: encode("1.made.up") }, HERE),
    "a challenge of the attacker",
  );
  const use = { kind: "confirm", user, signIn: user.session.hash } as const;
  await rejected(
    await authenticator.sign(await passkeys.requestOptions(use, PUBLIC_URL), HERE),
    "a challenge for something else",
  );
  await rejected(
    await authenticator.sign(await passkeys.creationOptions(user, PUBLIC_URL), HERE),
    "a challenge for a new passkey",
  );
  const stranger = new SoftAuthenticator();
  await stranger.create(await passkeys.creationOptions(user, PUBLIC_URL), HERE);
  await rejected(await stranger.sign(await ask(), HERE), "a passkey that was not added");
  const changed = await authenticator.sign(await ask(), HERE) as {
    response: { signature: string };
  };
  const signature = changed.response.signature.replace(/.{4}$/, "AAAA");
  await rejected(
    { ...changed, response: { ...changed.response, signature } },
    "a changed signature",
  );
  const late = await authenticator.sign(await ask(), HERE);
  clock.ms += CHALLENGE_MS + 1;
  await rejected(late, "too late");
  authenticator.counter = 1;
  await enter(await authenticator.sign(await ask(), HERE));
  authenticator.counter = 1;
  await rejected(await authenticator.sign(await ask(), HERE), "a copy of the passkey");
});

Deno.test("of 10 requests with one signature at once, one signs in", async () => {
  const { service, authenticator, ask, enter } = await fixture();
  await using _ = service;
  const signed = await authenticator.sign(await ask(), HERE);
  const ends = await Promise.all(Array.from({ length: 10 }, () => enter(signed)));
  assertEquals(ends.filter((end) => end === "/agents").length, 1);
});

Deno.test("a removed passkey signs in nowhere, and ends the sign-ins that relied on it", async () => {
  const { service, owner, user, authenticator, ask, enter } = await fixture();
  await using _ = service;
  const { factors } = service.service;
  const [passkey] = (await factors.summary(user)).passkeys;
  const other = await service.fetch("/sign-in/passkey", {
    method: "POST",
    body: new URLSearchParams({
      passkey: JSON.stringify(await authenticator.sign(await ask(), HERE)),
    }),
    headers: { origin: PUBLIC_URL },
  });
  await other.body?.cancel();
  const signed = await authenticator.sign(await ask(), HERE);
  owner.cookie = `__Host-${owner.cookie}`;
  const path = `/account/factors/passkeys/${passkey!.id}/remove`;

  const removed = await owner.post(path, {}, { origin: PUBLIC_URL });
  assertEquals(removed.headers.get("location"), "/account/factors?notice=passkey_removed");
  await removed.body?.cancel();
  const cookie = other.headers.getSetCookie()[0]!.split(";")[0]!;
  const answer = await service.fetch("/home", { headers: { cookie } });
  assertStringIncludes(answer.headers.get("location") ?? "", "/sign-in?next=");
  await answer.body?.cancel();
  assertStringIncludes(await enter(signed), "problem=passkey");
});

Deno.test("without a host name and https there are no passkeys", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const page = await owner.get("/account/factors/passkeys/new");
  assertStringIncludes(await page.text(), "Browsers offer passkeys only on https");
  const answer = await owner.post("/sign-in/passkey", { passkey: "{}" });
  assertEquals(answer.status, 404);
  await answer.body?.cancel();
  const signIn = await (await service.fetch("/sign-in")).text();
  assert(!signIn.includes("passkey"));
});

function encode(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}
