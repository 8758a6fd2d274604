import { type Cookie, deleteCookie, getCookies, setCookie } from "@std/http/cookie";
import { assert, assertEquals, assertThrows } from "@std/assert";

function written(cookie: Cookie): string | null {
  const headers = new Headers();
  setCookie(headers, cookie);
  return headers.get("set-cookie");
}

Deno.test("getCookies: pairs are split at the first equals sign and not decoded", () => {
  const headers = new Headers({ cookie: "a=1; b=x=y%20z;c=" });
  assertEquals({ ...getCookies(headers) }, { a: "1", b: "x=y%20z", c: "" });
});

Deno.test("getCookies: a cookie named __proto__ is only a key", () => {
  const cookies = getCookies(new Headers({ cookie: "__proto__=polluted" }));
  assertEquals(Object.getPrototypeOf(cookies), null);
  assertEquals(Object.keys(cookies), ["__proto__"]);
});

Deno.test("getCookies: no header means no cookies, and a pair without a name is rejected", () => {
  assertEquals(Object.keys(getCookies(new Headers())), []);
  assertThrows(() => getCookies(new Headers({ cookie: "=1" })), SyntaxError);
});

Deno.test("setCookie: every attribute is written", () => {
  const cookie: Cookie = {
    name: "sid",
    value: "v",
    expires: new Date(0),
    maxAge: 0,
    domain: "example.com",
    path: "/app",
    secure: true,
    httpOnly: true,
    partitioned: true,
    sameSite: "Lax",
    unparsed: ["Priority=High"],
  };
  assertEquals(
    written(cookie),
    "sid=v; Secure; HttpOnly; Partitioned; Max-Age=0; Domain=example.com; SameSite=Lax; " +
      "Path=/app; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Priority=High",
  );
});

Deno.test("setCookie: the name prefixes bring what browsers demand of them", () => {
  assertEquals(
    written({
      name: "__Host-sid",
      value: "v",
      domain: "example.com",
      path: "/app",
    }),
    "__Host-sid=v; Secure; Path=/",
  );
  assertEquals(
    written({ name: "__Secure-sid", value: "v" }),
    "__Secure-sid=v; Secure",
  );
});

Deno.test("setCookie: rejects values that would break the header", () => {
  const bad: Cookie[] = [
    { name: "a b", value: "" },
    { name: "a", value: "1; Domain=evil" },
    { name: "a", value: "1\r\nx: y" },
    { name: "a", value: "é" },
    { name: "a", value: "", path: "/; Secure" },
    { name: "a", value: "", domain: "example.com." },
  ];
  for (const cookie of bad) assertThrows(() => written(cookie), SyntaxError);
  assertThrows(() => written({ name: "a", value: "", maxAge: -1 }), RangeError);
  assertEquals(written({ name: "", value: "ignored" }), null);
});

Deno.test("setCookie: the caller's object is left alone", () => {
  const cookie: Cookie = { name: "__Host-sid", value: "v" };
  setCookie(new Headers(), cookie);
  assertEquals(cookie, { name: "__Host-sid", value: "v" });
});

Deno.test("deleteCookie: the cookie is emptied and dated to 1970", () => {
  const headers = new Headers();
  deleteCookie(headers, "sid", { path: "/", httpOnly: true });
  const header = headers.get("set-cookie");
  assert(header);
  assertEquals(
    header,
    "sid=; HttpOnly; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
  );
});
