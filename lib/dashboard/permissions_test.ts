import { assertEquals } from "@std/assert";
import type { Role, SignedInUser } from "../services/signed_in_user.ts";
import { isAuthorized } from "./permissions.ts";

function user(role: Role, operator = false): SignedInUser {
  return { id: "u", tenant: "t", email: "u@example.com", role, operator, provenAt: 0 };
}

Deno.test("mayPass: a route that no rule names is looked at by all and changed by editors", () => {
  for (const method of ["GET", "HEAD"]) {
    assertEquals(isAuthorized(user("viewer"), method, "/x/y"), true);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assertEquals(isAuthorized(user("viewer"), method, "/x/y"), false);
    assertEquals(isAuthorized(user("admin"), method, "/x/y"), true);
  }
});

Deno.test("mayPass: operating has nothing to do with the role in a tenant", () => {
  assertEquals(isAuthorized(user("owner"), "GET", "/operator/status"), false);
  assertEquals(isAuthorized(user("viewer", true), "POST", "/operator/vendors/:vendor"), true);
  assertEquals(isAuthorized(user("viewer", true), "POST", "/agents/new"), false);
  assertEquals(isAuthorized(user("admin", true), "POST", "/team/invite"), false);
});

Deno.test("mayPass: names that only begin alike are not taken for one another", () => {
  assertEquals(isAuthorized(user("viewer"), "GET", "/operators"), true);
  assertEquals(isAuthorized(user("viewer"), "POST", "/accounts"), false);
});
