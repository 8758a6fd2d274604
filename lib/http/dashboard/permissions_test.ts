import { assertEquals } from "@std/assert";
import type { Role, SignedInUser } from "../../accounts/signed_in_user.ts";
import { mayPass } from "./permissions.ts";

function user(role: Role, operator = false): SignedInUser {
  return { id: "u", tenant: "t", email: "u@example.com", role, operator, provenAt: 0 };
}

Deno.test("mayPass: a route that no rule names is looked at by all and changed by editors", () => {
  for (const method of ["GET", "HEAD"]) assertEquals(mayPass(user("viewer"), method, "/x/y"), true);
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assertEquals(mayPass(user("viewer"), method, "/x/y"), false);
    assertEquals(mayPass(user("admin"), method, "/x/y"), true);
  }
});

Deno.test("mayPass: operating has nothing to do with the role in a tenant", () => {
  assertEquals(mayPass(user("owner"), "GET", "/operator/status"), false);
  assertEquals(mayPass(user("viewer", true), "POST", "/operator/vendors/:vendor"), true);
  assertEquals(mayPass(user("viewer", true), "POST", "/agents/new"), false);
  assertEquals(mayPass(user("admin", true), "POST", "/team/invite"), false);
});

Deno.test("mayPass: names that only begin alike are not taken for one another", () => {
  assertEquals(mayPass(user("viewer"), "GET", "/operators"), true);
  assertEquals(mayPass(user("viewer"), "POST", "/accounts"), false);
});
