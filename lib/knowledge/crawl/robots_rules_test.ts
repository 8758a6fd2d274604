import { assertEquals } from "@std/assert";
import { RobotsRules } from "./robots_rules.ts";

const allows = (text: string, path: string) =>
  new RobotsRules(text).allows(new URL(path, "https://a.example"));

Deno.test("RobotsRules: the longest matching rule counts, of two the one that allows", () => {
  const text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\nAllow: /c\n";
  assertEquals(
    ["/", "/a", "/ab", "/a/b/c", "/c", "/robots.txt"].map((path) => allows(text, path)),
    [true, false, false, true, true, true],
  );
});

Deno.test("RobotsRules: wildcards and the end of the path", () => {
  const text = "user-agent: *\ndisallow: /*.pdf$\ndisallow: /x*y\ndisallow: /q?*z=1\n";
  assertEquals(
    ["/a.pdf", "/a.pdf?x", "/x/1/y/2", "/x/1", "/q?a=2&z=1", "/q"].map((path) =>
      allows(text, path)
    ),
    [false, true, false, true, false, true],
  );
});

Deno.test("RobotsRules: our own groups replace those for all, and several are one", () => {
  const text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: agentchatservice/2\n" +
    "Disallow: /a # why\n\nUSER-AGENT: AgentChatService\nDisallow: /b\nCrawl-delay: 2.5\n";
  assertEquals(["/", "/a", "/b"].map((path) => allows(text, path)), [true, false, false]);
  assertEquals(new RobotsRules(text).delayMs, 2_500);
});

Deno.test("RobotsRules: what is encoded differently is the same path", () => {
  const text = "User-agent: *\nDisallow: /caf%c3%a9\nDisallow: /ü\nDisallow: /%7euser\n";
  assertEquals(
    ["/café", "/%C3%BC", "/~user", "/cafe"].map((path) => allows(text, path)),
    [false, false, false, true],
  );
});

Deno.test("RobotsRules: empty, without groups, or no rules at all allows everything", () => {
  const texts = ["", "Disallow: /", "User-agent: *\nDisallow:\n", "\ufeff<html>"];
  assertEquals(texts.map((text) => allows(text, "/x")), [true, true, true, true]);
});
