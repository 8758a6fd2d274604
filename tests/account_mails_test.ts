/** Invitations, password resets and forgotten passwords by mail. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { decodeMail, MailServer, type MailServerOptions } from "./support/mail_server.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const INVITED = { email: "new@example.com", role: "viewer" };
/** What the form says, whether or not there is such an account. */
const ANSWER = /If <!-- -->|If [^ ]+ has an account, a link is on its way/;

async function open(options: MailServerOptions = {}) {
  const server = await MailServer.start(options);
  const time = instantRuntime();
  const env = {
    ...{ SETUP_TOKEN, SMTP_URL: server.url, MAIL_FROM: "no-reply@example.com" },
    TRUSTED_PROXY_HOPS: "1",
  };
  const service = await TestService.start({ env, runtime: time.runtime });
  const owner = await Dashboard.setUp(service);
  const ask = (email: string, address = "203.0.113.7") =>
    new Dashboard(service).post("/forgot-password", { email }, { "x-forwarded-for": address });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { server, service, owner, ask, time, [Symbol.asyncDispose]: dispose };
}

/** The link in a page or a mail. */
function linkIn(text: string, path: string): string {
  return new RegExp(`http[^\\s"<]*/${path}\\?token=[\\w-]+`).exec(text)![0];
}

Deno.test("POST /team/invite: emails the link that the page shows, in the language of who invites", async () => {
  await using fixture = await open();
  const { server, owner } = fixture;
  owner.cookie += "; language=de";
  const answer = await owner.post("/team/invite", INVITED);
  const html = await answer.text();
  assertEquals(answer.status, 201);
  assertStringIncludes(html, "Der Link wurde per E-Mail an new@example.com gesendet.");
  const [mail] = await server.received(1);
  assertEquals([mail!.to, mail!.secure], [["new@example.com"], true]);
  const text = decodeMail(mail!);
  assertStringIncludes(text, "Subject: Ihre Einladung zu Agent Chat");
  assertStringIncludes(text, "operator@example.com hat Sie zum Dashboard von Agent Chat");
  assertStringIncludes(text, '<html lang="de">');
  assertEquals(linkIn(text, "join"), linkIn(html, "join"));
});

Deno.test("POST /team/invite: a mail that fails loses nothing", async () => {
  await using fixture = await open({ rejects: true });
  const { service, owner } = fixture;
  const answer = await owner.post("/team/invite", INVITED);
  const html = await answer.text();
  assertEquals(answer.status, 201);
  assertStringIncludes(html, "could not be sent. Pass the link on yourself.");
  const token = linkIn(html, "join").split("token=")[1]!;
  assert(await service.service.team.findLink(token, "invite"));
});

Deno.test("POST /team/:id/reset and /operator/tenants/new: email their links too", async () => {
  await using fixture = await open();
  const { server, service, owner } = fixture;
  await Dashboard.join(service, "viewer");
  const members = await service.service.team.members(await service.tenant());
  const { id } = members.find(({ email }) => email === "viewer@example.com")!;
  const reset = await (await owner.post(`/team/${id}/reset`)).text();
  const made = { name: "Shop", email: "shop@example.com" };
  const invited = await (await owner.post("/operator/tenants/new", made)).text();
  const mails = await server.received(2);
  assertEquals(mails.map(({ to }) => to), [["viewer@example.com"], ["shop@example.com"]]);
  assertEquals(linkIn(decodeMail(mails[0]!), "reset-password"), linkIn(reset, "reset-password"));
  assertEquals(linkIn(decodeMail(mails[1]!), "join"), linkIn(invited, "join"));
});

Deno.test("POST /forgot-password: one answer for everyone, and a mail to the account's own address", async () => {
  await using fixture = await open();
  const { server, service, ask } = fixture;
  const pages = new Set<string>();
  for (const email of ["nobody@example.com", "Operator@Example.com "]) {
    const answer = await ask(email);
    const html = await answer.text();
    assertEquals(answer.status, 200);
    assertMatch(html, ANSWER);
    pages.add(html.replaceAll(/nonce="[^"]*"|nobody@example.com|operator@example.com/g, ""));
  }
  assertEquals(pages.size, 1, "the pages are the same");
  const [mail] = await server.received(1);
  await service.service.resetRequests!.idle();
  assertEquals(server.mails.map(({ to }) => to), [["operator@example.com"]]);
  const link = linkIn(decodeMail(mail!), "reset-password");
  const there = new Dashboard(service);
  const token = link.split("token=")[1]!;
  const chosen = await there.post("/reset-password", { token, password: "a brand new password" });
  assertEquals(chosen.status, 303);
  const old = { email: "operator@example.com", password: PASSWORD };
  assertEquals((await new Dashboard(service).post("/sign-in", old)).status, 401);
  const { data } = await service.service.audit.list(await service.tenant(), { limit: 20 });
  const asked = data.find(({ action }) => action === "request reset link");
  assertEquals([asked?.kind, asked?.actor.kind], ["user", "anonymous"]);
});

Deno.test("POST /forgot-password: the answer does not wait for the mail", async () => {
  await using fixture = await open();
  const { service, ask } = fixture;
  const { resetRequests } = service.service;
  const waiting = Promise.withResolvers<boolean>();
  const mailer = service.service.mailer as { send: () => Promise<boolean> };
  mailer.send = () => waiting.promise;
  assertEquals((await ask("operator@example.com")).status, 200);
  waiting.resolve(true);
  await resetRequests!.idle();
});

Deno.test("POST /forgot-password: limits each address, and the mails of each account", async () => {
  await using fixture = await open();
  const { server, service, ask, time } = fixture;
  for (let n = 0; n < 5; n++) assertEquals((await ask(`no${n}@example.com`)).status, 200);
  const limited = await ask("operator@example.com");
  assertEquals([limited.status, limited.headers.get("retry-after")], [429, "900"]);
  assertStringIncludes(await limited.text(), "Too many attempts");
  // From many addresses: three mails an hour, five minutes apart.
  const askAgain = async (n: number) => {
    assertEquals((await ask("operator@example.com", `198.51.100.${n}`)).status, 200);
    await service.service.resetRequests!.idle();
  };
  await askAgain(1);
  await askAgain(2);
  assertEquals(server.mails.length, 1);
  time.advance(5 * 60_000);
  await askAgain(3);
  time.advance(5 * 60_000);
  await askAgain(4);
  assertEquals(server.mails.length, 2);
});

Deno.test("POST /forgot-password: a stranger's request does not end a link that an owner has made", async () => {
  await using fixture = await open();
  const { server, service, owner, ask, time } = fixture;
  await Dashboard.join(service, "viewer");
  const { team, resetRequests } = service.service;
  const members = await team.members(await service.tenant());
  const { id } = members.find(({ email }) => email === "viewer@example.com")!;
  const html = await (await owner.post(`/team/${id}/reset`)).text();
  await ask("viewer@example.com");
  await resetRequests!.idle();
  const tokenOf = (text: string) => linkIn(text, "reset-password").split("token=")[1]!;
  const requested = tokenOf(decodeMail((await server.received(2))[1]!));
  assert(await team.findLink(tokenOf(html), "reset"));
  assert(await team.findLink(requested, "reset"));
  time.advance(60 * 60_000);
  assert(await team.findLink(tokenOf(html), "reset"), "for 24 hours");
  assertEquals(await team.findLink(requested, "reset"), undefined, "for one hour");
});

Deno.test("POST /forgot-password: what is no address is a 400, and nothing is sent", async () => {
  await using fixture = await open();
  const { server, service, ask } = fixture;
  for (const email of ["", "nobody", "operator@example.com\r\nBcc: eve@example.com", "a@b, c@d"]) {
    assertEquals((await ask(email)).status, 400, email);
  }
  await service.service.resetRequests!.idle();
  assertEquals(server.mails, []);
});

Deno.test("without SMTP_URL there is no form for forgotten passwords, and the sign-in has no link to it", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const stranger = new Dashboard(service);
  assertEquals((await stranger.get("/forgot-password")).status, 404);
  assertEquals((await stranger.post("/forgot-password", { email: "a@example.com" })).status, 404);
  assertEquals((await (await stranger.get("/sign-in")).text()).includes("/forgot-password"), false);
  const invited = await (await owner.post("/team/invite", INVITED)).text();
  assertEquals(invited.includes("emailed"), false);
});
