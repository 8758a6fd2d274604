import { assertEquals, assertThrows } from "@std/assert";
import { parseKeysArgs } from "./keys_args.ts";
import { UsageError } from "./arguments.ts";

Deno.test("parseKeysArgs: create takes a name, scopes, a tenant and an expiry", () => {
  const words = ["create", "--name", "ci", "--scopes", "agents:read, billing:read"];
  const tenant = crypto.randomUUID();
  assertEquals(parseKeysArgs([...words, "--tenant", tenant, "--expires", "2030-01-31"]), {
    action: "create",
    input: {
      name: "ci",
      scopes: ["agents:read", "billing:read"],
      expiresAt: "2030-01-31T00:00:00.000Z",
      tenant,
    },
  });
});

Deno.test("parseKeysArgs: revoke takes the prefix or the whole key", () => {
  for (const word of ["Ab12Cd34", "ck_live_Ab12Cd34", `ck_live_Ab12Cd34_${"x".repeat(32)}`]) {
    assertEquals(parseKeysArgs(["revoke", word]), {
      action: "revoke",
      input: { prefix: "Ab12Cd34" },
    });
  }
});

Deno.test("parseKeysArgs: help takes precedence", () => {
  assertEquals(parseKeysArgs(["create", "-h"]), { action: "help" });
  assertEquals(parseKeysArgs(["help"]), { action: "help" });
});

Deno.test("parseKeysArgs: wrong usage is a UsageError that says what is expected", () => {
  const wrong: [string[], string][] = [
    [[], "create, list, restrict, revoke or forget-secrets"],
    [["make"], 'unknown action "make"'],
    [["create", "--scopes", "agents:read"], "--name"],
    [["create", "--name", "n".repeat(129), "--scopes", "agents:read"], "128"],
    [["create", "--name", "x"], "widget:mint"],
    [["create", "--name", "x", "--scopes", "agents:read,"], 'unknown scope ""'],
    [["create", "--name", "x", "--scopes", "agents:read", "--expires", "soon"], "--expires"],
    [["create", "extra", "--name", "x", "--scopes", "agents:read"], '"extra"'],
    [["list", "--name", "x"], "only valid with create"],
    [["list", "--bogus"], "--bogus"],
    [["list", "--agents", "x"], "only valid with create and restrict"],
    [["restrict"], "restrict PREFIX"],
    [["restrict", "Ab12Cd34"], "any lifts them"],
    [["restrict", "Ab12Cd34", "--agents", "any", "--name", "x"], "only valid with create"],
    [["revoke"], "revoke PREFIX"],
    [["revoke", "short"], "8 characters"],
    [["revoke", "Ab12Cd34", "Ab12Cd35"], '"Ab12Cd35"'],
  ];
  for (const [words, message] of wrong) {
    assertThrows(() => parseKeysArgs(words), UsageError, message);
  }
});

Deno.test("parseKeysArgs: forget-secrets is for all tenants and takes no arguments", () => {
  assertEquals(parseKeysArgs(["forget-secrets"]), { action: "forget-secrets", input: {} });
  for (const more of [["x"], ["--name", "x"], ["--tenant", "x"]]) {
    assertThrows(() => parseKeysArgs(["forget-secrets", ...more]), UsageError);
  }
});

Deno.test("parseKeysArgs: reads purpose and restrictions; any lifts a restriction", () => {
  const create = ["create", "--name", "x", "--scopes", "agents:read", "--purpose", "nightly job"];
  assertEquals(parseKeysArgs([...create, "--agents", "a, b", "--addresses", "10.0.0.0/8"]), {
    action: "create",
    input: {
      ...{ name: "x", scopes: ["agents:read"], purpose: "nightly job" },
      ...{ agents: ["a", "b"], addresses: ["10.0.0.0/8"] },
    },
  });
  const restrict = ["restrict", "Ab12Cd34", "--agents", "any", "--addresses", "10.0.0.1"];
  const input = { prefix: "Ab12Cd34", agents: "any" as const, addresses: ["10.0.0.1"] };
  assertEquals(parseKeysArgs(restrict), { action: "restrict", input });
});
