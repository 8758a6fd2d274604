import { assertEquals } from "@std/assert";
import type { Role, SignedInUser } from "../services/signed_in_user.ts";
import { isAuthorized } from "./authorization.ts";

function user(role: Role, operator = false): SignedInUser {
  const session = { hash: "h", epoch: 0, createdAt: 0, details: { device: "", network: "" } };
  const known = { id: "u", tenant: "t", email: "u@example.com", provenAt: 0 };
  return { ...known, stepUp: "password", session, role, operator };
}

Deno.test("isAuthorized: by default everyone may view and editors may change", () => {
  for (const method of ["GET", "HEAD"]) {
    assertEquals(isAuthorized(user("viewer"), method, "/x/y"), true);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assertEquals(isAuthorized(user("viewer"), method, "/x/y"), false);
    assertEquals(isAuthorized(user("admin"), method, "/x/y"), true);
  }
});

Deno.test("isAuthorized: being an operator is independent of the role in a tenant", () => {
  assertEquals(isAuthorized(user("owner"), "GET", "/operator/status"), false);
  assertEquals(isAuthorized(user("viewer", true), "POST", "/operator/providers/:provider"), true);
  assertEquals(isAuthorized(user("viewer", true), "POST", "/agents/new"), false);
  assertEquals(isAuthorized(user("admin", true), "POST", "/team/invite"), false);
});

Deno.test("isAuthorized: rules do not match routes that only share a prefix", () => {
  assertEquals(isAuthorized(user("viewer"), "GET", "/operators"), true);
  assertEquals(isAuthorized(user("viewer"), "POST", "/accounts"), false);
});
