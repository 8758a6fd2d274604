/** Mails through a real server: encryption, dead servers, and addresses that try to be headers. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createLogger } from "@/lib/platform/log.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { Mailer, type MailerOptions } from "@/lib/services/mail/mailer.ts";
import { FakeRuntime } from "./support/fake_runtime.ts";
import { decodeMail, MAIL_USER, MailServer } from "./support/mail_server.ts";

const MAIL = {
  to: "ada@example.com",
  subject: "Ihre Einladung – jetzt",
  text: "Grüße\n",
  html: "<p>Grüße</p>",
};

function open(smtpUrl: string, options: Partial<MailerOptions> = {}) {
  const logged: string[] = [];
  const log = createLogger({ level: "debug", json: true, write: (line) => logged.push(line) });
  const from = "Agent Chat <no-reply@example.com>";
  const mailer = new Mailer({ smtpUrl, from, runtime: systemRuntime, log, ...options });
  return { mailer, logged };
}

Deno.test("Mailer: sends by STARTTLS on loopback, signed in, to the one recipient", async () => {
  await using server = await MailServer.start();
  const { mailer } = open(server.url);
  assertEquals(await mailer.check(), undefined);
  assertEquals(await mailer.send(MAIL), true);
  const [mail] = await server.received(1);
  assertEquals([mail!.from, mail!.to], ["no-reply@example.com", ["ada@example.com"]]);
  assertEquals([mail!.secure, mail!.user], [true, MAIL_USER.user]);
  const text = decodeMail(mail!);
  for (const line of ["From: Agent Chat <no-reply@example.com>", "To: ada@example.com"]) {
    assertStringIncludes(text, line);
  }
  assertStringIncludes(text, "Auto-Submitted: auto-generated");
  assertStringIncludes(text, "\n\nGrüße");
});

Deno.test("Mailer: elsewhere than on loopback nothing is said without TLS and a valid certificate", async () => {
  for (const startTls of [false, true]) {
    await using server = await MailServer.start({ startTls });
    const { mailer, logged } = open(server.url, { requireTls: true });
    assertEquals(await mailer.send(MAIL), false);
    assertEquals([server.signIns, server.mails.length], [0, 0], `startTls: ${startTls}`);
    assert((await mailer.check()) !== undefined);
    assertEquals(logged.length, 1);
  }
});

Deno.test("Mailer: a server that rejects the password or the recipient is a failure without any text", async () => {
  await using server = await MailServer.start({ rejects: true });
  const wrong = open(server.url.replace("word@", "xword@"));
  assertEquals(await wrong.mailer.send(MAIL), false);
  const right = open(server.url);
  assertEquals(await right.mailer.send(MAIL), false);
  const logged = [...wrong.logged, ...right.logged].join("\n");
  assertStringIncludes(logged, "EAUTH");
  for (const secret of ["p@ss", "p%40ss", "ada@", "says the server", "wrong password"]) {
    assertEquals(logged.includes(secret), false, secret);
  }
});

Deno.test("Mailer: a dead server fails at once, a silent one after 8 seconds", async () => {
  const gone = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = gone.addr;
  gone.close();
  const dead = open(`smtp://127.0.0.1:${port}`);
  assertEquals(await dead.mailer.send(MAIL), false);
  assertStringIncludes(dead.logged[0]!, "ESOCKET");

  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const accepted = listener.accept();
  const runtime = new FakeRuntime();
  const silent = open(`smtp://127.0.0.1:${listener.addr.port}`, { runtime });
  const sent = silent.mailer.send(MAIL);
  using _connection = await accepted;
  await runtime.advance(8_000);
  assertEquals(await sent, false);
  assertStringIncludes(silent.logged[0]!, "EDEADLINE");
});

Deno.test("Mailer: sends nothing to what is more than one plain address", async () => {
  await using server = await MailServer.start();
  const { mailer } = open(server.url);
  const hostile = [
    "ada@example.com\r\nBcc: eve@example.com",
    "ada@example.com, eve@example.com",
    "ada@example.com>, <eve@example.com",
    '"ada@example.com,eve"@example.org',
    "Ada <ada@example.com>",
    "group: ada@example.com;",
    "ada@example.com ",
    "",
  ];
  for (const to of hostile) assertEquals(await mailer.send({ ...MAIL, to }), false, to);
  const subject = "Hello\r\nBcc: eve@example.com\r\n\r\nX";
  assertEquals(await mailer.send({ ...MAIL, subject }), true);
  const [mail, ...others] = await server.received(1);
  assertEquals([mail!.to, others], [["ada@example.com"], []]);
  assertEquals(/^Bcc:/im.test(mail!.source), false);
});
