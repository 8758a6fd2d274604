/** Clients that generators make of GET /v1/openapi.json: they type-check, and they work. */
import { assertEquals } from "@std/assert";
import { mustRun, NpmProject, OWN_FILES_ONLY } from "./support/npm_project.ts";
import { TestService } from "./support/service.ts";
import { ORIGIN } from "./support/widget_calls.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const FIXTURES = `${ROOT}tests/fixtures/npm/`;
const BUNDLER = ["--module", "esnext", "--moduleResolution", "bundler"];
// What the generators write is no declaration file, so it is checked.
const OPTIONS = [...BUNDLER, "--allowImportingTsExtensions", "--types", "node", OWN_FILES_ONLY];

/** A project with the service's document as `openapi.json`, and a program that uses the client. */
async function open(service: TestService, program: string): Promise<NpmProject> {
  const project = await NpmProject.create();
  await project.link("@types/node");
  await project.write("openapi.json", await (await service.fetch("/v1/openapi.json")).text());
  await Deno.copyFile(FIXTURES + program, `${project.folder}/use.ts`);
  return project;
}

async function environment(service: TestService): Promise<Record<string, string>> {
  return { API: service.url, KEY: await service.key(), ORIGIN };
}

Deno.test("openapi-typescript: its types check under strict, and openapi-fetch calls the service with them", async () => {
  await using service = await TestService.start();
  await using project = await open(service, "openapi_fetch_use.ts");
  await project.link("openapi-fetch");
  const cli = `${ROOT}node_modules/openapi-typescript/bin/cli.js`;
  const args = [cli, "openapi.json", "-o", "generated.ts"];
  await mustRun(project.folder, { program: "node", args });
  assertEquals(
    await project.typeErrors(["use.ts"], [...OPTIONS, "--exactOptionalPropertyTypes"]),
    "",
  );
  assertEquals(await project.runBundled("use.ts", await environment(service)), {
    method: "GET",
    newest: true,
    changed: ["Changed", 2],
    token: "cs_",
    rejected: [403, "origin_not_allowed"],
  });
});

Deno.test("@hey-api/openapi-ts: its client checks under strict, and calls and streams from the service", async () => {
  await using service = await TestService.start();
  await using project = await open(service, "hey_api_use.ts");
  // It needs Node 22, and the tests only Node 20.
  const cli = `${ROOT}node_modules/@hey-api/openapi-ts/bin/run.js`;
  const args = [
    "run",
    "-A",
    "--deny-net",
    "--no-config",
    cli,
    "-i",
    "openapi.json",
    "-o",
    "generated",
  ];
  await mustRun(project.folder, { program: Deno.execPath(), args });
  assertEquals(await project.typeErrors(["use.ts"], OPTIONS), "");
  assertEquals(await project.runBundled("use.ts", await environment(service)), {
    newest: true,
    token: "cs_",
    rejected: [403, "origin_not_allowed"],
    types: ["start", "delta", "usage", "done"],
    text: "Hello!",
  });
});
