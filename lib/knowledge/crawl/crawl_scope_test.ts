import { assertEquals } from "@std/assert";
import { CrawlScope } from "./crawl_scope.ts";

const resolve = (start: string, link: string) =>
  new CrawlScope(new URL(start)).resolve(link, new URL(start))?.href;

Deno.test("CrawlScope: the host with and without www, from http to https and not back", () => {
  const start = "http://shop.example/help";
  assertEquals(resolve(start, "https://www.shop.example/a"), "https://www.shop.example/a");
  assertEquals(resolve("http://www.shop.example/", "//shop.example/"), "http://shop.example/");
  const secure = "https://shop.example/";
  assertEquals(resolve(secure, "http://shop.example/a"), "https://shop.example/a");
  assertEquals(new CrawlScope(new URL(secure)).includes(new URL("http://shop.example/")), false);
  const others = ["evilshop.example", "a.shop.example", "shop.example.evil", "shop.example:81"];
  assertEquals(others.map((host) => resolve(start, `http://${host}/`)), Array(4).fill(undefined));
});

Deno.test("CrawlScope: fragments and parameters of campaigns do not make another page", () => {
  const start = "https://shop.example/";
  assertEquals(resolve(start, "/a?b=1&utm_source=x&gclid=y#c"), "https://shop.example/a?b=1");
  assertEquals(resolve(start, "/a?q=%7E+b"), "https://shop.example/a?q=%7E+b");
});

Deno.test("CrawlScope: the guard gets the same hosts", () => {
  const domains = (url: string) => new CrawlScope(new URL(url)).allowedDomains;
  assertEquals(domains("https://www.shop.example/"), ["shop.example", "www.shop.example"]);
  assertEquals(domains("http://127.0.0.1:8080/"), ["127.0.0.1:8080"]);
  assertEquals(domains("http://[::1]:8080/"), ["[::1]:8080"]);
});
