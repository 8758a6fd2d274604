import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTempDir, runCli, serveIn } from "../tests/support/command_line.ts";
import { DenokvServer } from "../tests/support/denokv_server.ts";
import { MailServer } from "../tests/support/mail_server.ts";

const bin = Deno.env.get("DENOKV_BIN");
const [SECRET, OTHER] = ["s".repeat(32), "o".repeat(32)];

Deno.test("doctor: a store in a file is measured, unless a service has it open", () =>
  inTempDir(async (dir) => {
    const { code, out, err } = await runCli("doctor", [], { dir });
    assertEquals([code, err], [out.includes("To do:") ? 1 : 0, ""]);
    assertMatch(out, /^Store {4}a local file\nSecrets {2}fit the store\nRead {5}[\d.]+ ms\nWrite/);
    assertMatch(out, /^Limits {3}100 checks in one commit$/m);
    const service = await serveIn(dir);
    const held = await runCli("doctor", [], { dir });
    await service.close();
    assertEquals([held.code, held.out], [1, ""]);
    assertMatch(held.err, /^doctor: .*Stop the service first\n$/);
  }));

Deno.test("doctor: reports secrets that do not fit the store in one sentence", () =>
  inTempDir(async (dir) => {
    assert([0, 1].includes((await runCli("doctor", [], { dir, env: secretIs(SECRET) })).code));
    const other = await runCli("doctor", [], { dir, env: secretIs(OTHER) });
    assertEquals([other.code, other.out], [1, ""]);
    assertMatch(other.err, /^doctor: API keys in the store are hashed under a secret that .*\n$/);
    const forgot = await runCli("keys", ["forget-secrets"], { dir, env: secretIs(OTHER) });
    assertEquals([forgot.code, forgot.out], [0, ""], forgot.err);
    assert([0, 1].includes((await runCli("doctor", [], { dir, env: secretIs(OTHER) })).code));
    assertEquals((await runCli("doctor", [], { dir, env: secretIs(SECRET) })).out, "");
  }));

Deno.test("doctor: help and what it does not know", () =>
  inTempDir(async (dir) => {
    const help = await runCli("doctor", ["--help"], { dir });
    assertEquals([help.code, help.out.includes("deno task doctor")], [0, true]);
    const wrong = await runCli("doctor", ["--bogus"], { dir });
    assertEquals([wrong.code, wrong.err.includes("deno task doctor --help")], [2, true]);
  }));

Deno.test({
  name: "DENOKV_BIN: doctor: a plain server delays large writes, and doctor names the remedy",
  ignore: bin === undefined,
  fn: () =>
    inTempDir(async (dir) => {
      await using server = await DenokvServer.start(bin!);
      const env = { ...secretIs(SECRET), KV_URL: server.url };
      const { code, out, err } = await runCli("doctor", [], { dir, env });
      assertEquals([code, err], [1, ""]);
      assertMatch(out, /^Limits {3}10 checks in one commit$/m);
      assertMatch(out, /^Clock {4}the server's and this one agree$/m);
      assert(out.includes("put HAProxy in front"), out);
    }),
});

function secretIs(secret: string): Record<string, string> {
  return { API_KEY_HMAC_SECRET: secret };
}

Deno.test("doctor: checks the mail server, and its advice has no password", () =>
  inTempDir(async (dir) => {
    await using server = await MailServer.start();
    const check = (url: string) => {
      const env = { SMTP_URL: url, MAIL_FROM: "no-reply@example.com" };
      return runCli("doctor", [], { dir, env });
    };
    const right = await check(server.url);
    assertMatch(right.out, /^Mail {5}the server accepts mail$/m);
    const wrong = await check(server.url.replace("word@", "xword@"));
    assertEquals(wrong.code, 1);
    assertMatch(wrong.out, /^Mail {5}fails$/m);
    assertMatch(wrong.out, /cannot be used \(EAUTH AUTH PLAIN 535\): check SMTP_URL/);
    assertEquals(wrong.out.includes("xword"), false);
    assertEquals(server.mails, []);
  }));
