import { assertEquals } from "@std/assert";
import { isPlainAddress, parseMailSender, parseSmtpUrl } from "./smtp_url.ts";

Deno.test("parseSmtpUrl: reads host, port, TLS and percent-encoded credentials", () => {
  assertEquals(parseSmtpUrl("smtps://me%40x:p%3Aw%2F@Mail.Example.com"), {
    ...{ host: "mail.example.com", port: 465, implicitTls: true },
    auth: { user: "me@x", pass: "p:w/" },
  });
  assertEquals(parseSmtpUrl("smtp://[::1]:2525"), { host: "::1", port: 2525, implicitTls: false });
  assertEquals(parseSmtpUrl("smtp://mail/")?.port, 587);
});

Deno.test("parseSmtpUrl: rejects other schemes, paths, half credentials and broken encodings", () => {
  const wrong = [
    ...["", "mail.example.com", "http://mail.example.com", "smtp:///", "smtp://", "smtp://m/x"],
    ...[
      "smtp://user@mail",
      "smtp://:pass@mail",
      "smtp://mail?x=1",
      "smtp://a:%zz@mail",
      "smtp://m:0x",
    ],
  ];
  for (const text of wrong) assertEquals(parseSmtpUrl(text), undefined, text);
});

Deno.test("parseMailSender: reads an address with or without a name, and rejects everything else", () => {
  const address = "no-reply@example.com";
  assertEquals(parseMailSender(address), { name: "", address });
  assertEquals(parseMailSender(`Agent Chat <${address}>`), { name: "Agent Chat", address });
  const wrong = [
    "",
    "Agent Chat",
    `${address}, b@example.com`,
    `A\nB <${address}>`,
    `"A" <${address}>`,
  ];
  for (const text of [...wrong, `<${address}> x`]) {
    assertEquals(parseMailSender(text), undefined, text);
  }
});

Deno.test("isPlainAddress: one address, and nothing that a header could read as more", () => {
  assertEquals(isPlainAddress("ada+chat@mail.example.com"), true);
  const wrong = [
    "a@b.example\n",
    "a@b.example,c@d.example",
    '"a b"@c.example',
    "a@",
    "@b",
    "a(b)@c.example",
  ];
  for (const text of wrong) assertEquals(isPlainAddress(text), false, text);
});
