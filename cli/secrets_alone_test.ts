import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import { inTempDir, runCli, serveIn } from "../tests/support/command_line.ts";
import { parseSecretsArgs } from "./secrets_args.ts";
import { UsageError } from "./arguments.ts";

const VALUE = "crm-value-0123456789";

async function setListDelete(dir: string): Promise<void> {
  const run = (words: string[], input = "") => runCli("secrets", words, { dir, input });
  const set = await run(
    ["set", "CRM_KEY", "--domains", "CRM.example.com, b.example"],
    `${VALUE}\n`,
  );
  assertEquals([set.code, set.out], [0, ""], set.err);
  assert(set.err.includes("CRM_KEY is set for crm.example.com, b.example"));

  const listed = await run(["list"]);
  assertMatch(listed.out, /CRM_KEY +20\d\d-[\d-]+ [\d:]+Z +crm\.example\.com,b\.example +any\n$/);
  for (const { out, err } of [set, listed]) assertFalse((out + err).includes("crm-value"));

  assertEquals((await run(["delete", "CRM_KEY"])).code, 0);
  assertEquals((await run(["list"])).out, "No secrets yet.\n");
  const again = await run(["delete", "CRM_KEY"]);
  assertEquals(again.code, 1);
  assert(again.err.includes("there is no secret CRM_KEY"));
}

Deno.test("secrets: sets, lists and deletes on a fresh data folder without a service", () =>
  inTempDir((dir) => setListDelete(`${dir}/data`)));

Deno.test("secrets: sets, lists and deletes through the running service", () =>
  inTempDir(async (dir) => {
    const service = await serveIn(dir);
    await setListDelete(dir).finally(() => service.close());
  }));

Deno.test("secrets: reencrypts through the running service", () =>
  inTempDir(async (dir) => {
    const service = await serveIn(dir);
    const tenant = (await service.tenants.ensureDefault()).id;
    await service.secrets.set(tenant, { name: "A", value: VALUE, domains: ["a.example"] });
    const done = await runCli("secrets", ["reencrypt"], { dir });
    assertEquals([done.code, done.err], [0, ""]);
    assert(done.out.includes("Everything is already encrypted under the first key"), done.out);
    assertEquals((await service.secrets.find(tenant, "A"))?.value, VALUE);
    await service.close();
  }));

Deno.test("secrets: what is piped in is what a tool sends, without the last line feed alone", () =>
  inTempDir(async (dir) => {
    const service = await serveIn(dir);
    const tenant = (await service.tenants.ensureDefault()).id;
    const words = ["set", "A", "--domains", "a.example"];
    for (
      const [input, value] of [[" two\nlines \n\n", " two\nlines \n"], ["äö-äö-äö", "äö-äö-äö"]]
    ) {
      await runCli("secrets", words, { dir, input: input! });
      assertEquals((await service.secrets.find(tenant, "A"))?.value, value);
    }
    await service.close();
  }));

Deno.test("secrets: a wrong value or name is reported without the value", () =>
  inTempDir(async (dir) => {
    const set = (name: string, input: string, domains = "a.example") =>
      runCli("secrets", ["set", name, "--domains", domains], { dir, input });
    const faults: [[name: string, input: string, domains?: string], number, string][] = [
      [["A", "\n"], 2, "standard input is empty"],
      [["A", VALUE.repeat(500)], 1, "value: "],
      [["A", "crm-val"], 1, "value: must be at least 8 characters long"],
      [["lower", VALUE], 1, "name: must be upper-case"],
      [["A", VALUE, "https://a.example"], 1, "domains.0: must be a host"],
    ];
    for (const [typed, code, words] of faults) {
      const { code: told, err } = await set(...typed);
      assertEquals(told, code, err);
      assert(err.includes(words), err);
      assertFalse(err.includes("crm-val"));
    }
  }));

Deno.test("parseSecretsArgs: wrong usage is a UsageError that says what is expected", () => {
  const wrong: [string[], string][] = [
    [[], "set, list, delete or reencrypt"],
    [["get", "A"], 'unknown action "get"'],
    [["set"], "set NAME"],
    [["set", "A"], "--domains is missing"],
    [["set", "A", "value", "--domains", "a.example"], 'unexpected argument "value"'],
    [["list", "A"], 'unexpected argument "A"'],
    [["list", "--domains", "a.example"], "--domains is only valid with set"],
    [["delete", "A", "--agent", "any"], "--agent is only valid with set"],
    [["delete"], "delete NAME"],
    [["delete", "A", "B"], 'unexpected argument "B"'],
    [["set", "A", "--value", "v"], "--value"],
    [["reencrypt", "A"], 'unexpected argument "A"'],
    [["reencrypt", "--tenant", "t"], "all tenants"],
    [["list", "--forget"], "only valid with reencrypt"],
  ];
  for (const [words, message] of wrong) {
    assertThrows(() => parseSecretsArgs(words), UsageError, message);
  }
  assertEquals(parseSecretsArgs(["set", "--help"]), { action: "help" });
});
