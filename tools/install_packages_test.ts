import { assertEquals } from "@std/assert";
import { lockedPackages } from "./install_packages.ts";

Deno.test("lockedPackages: versions of Deno that name other peers name the same packages", () => {
  const lock = (ids: string[]) =>
    JSON.stringify({ npm: Object.fromEntries(ids.map((id) => [id, { integrity: "sha512-a" }])) });
  const one = lock(["@model/sdk@1.32.2_zod@4.6.7", "with_line@0.1.0-rc.1", "zod@4.6.7"]);
  const other = lock([
    "@model/sdk@1.32.2_zod@4.6.7_ajv@8.20.0",
    "with_line@0.1.0-rc.1",
    "zod@4.6.7",
  ]);
  assertEquals(lockedPackages(one), lockedPackages(other));
  assertEquals([...lockedPackages(one).keys()], [
    "@model/sdk@1.32.2",
    "with_line@0.1.0-rc.1",
    "zod@4.6.7",
  ]);
  assertEquals(lockedPackages("{}"), new Map());
});
