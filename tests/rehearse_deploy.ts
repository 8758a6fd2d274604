/**
 * `deno task rehearse-deploy`: builds and runs the service as Deno Deploy does, on this Deno and on 2.5,
 * against a genuine `denokv` server. `DENOKV_BIN` names its program. Prints each check and their count;
 * exits with 1 when one fails, and with 2 when something that it needs is missing.
 */
import { catalogueEntry } from "./support/chat.ts";
import {
  type Check,
  checkKnowledge,
  checkLoad,
  checkMemory,
  checkService,
  checkStop,
} from "./support/deploy/checks.ts";
import { DeployedProcess, type DeployOptions } from "./support/deploy/deployed_process.ts";
import { DeployedTree } from "./support/deploy/deployed_tree.ts";
import { HEAP_FLAG } from "./support/deploy/platform.ts";
import { Visit } from "./support/deploy/visit.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { assertEquals } from "@std/assert";

/** The last patch of the minor version that the platform's documentation names. */
const PLATFORM_VERSION = "2.5.7";
/** What is taken away from `-A`: it may neither start a program nor write a file, nor use much memory. */
const NARROWER = ["--deny-run", "--deny-write", "--deny-ffi", HEAP_FLAG];
const SOURCE = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Ends the rehearsal of a version; its cause has been reported. */
class Failed extends Error {}

const counts = { passed: 0, failed: 0 };

if (import.meta.main) {
  const denokv = await denokvProgram();
  for (const deno of [Deno.execPath(), await denoProgram(PLATFORM_VERSION)]) {
    await rehearse(deno, denokv).catch((error) =>
      report("the rehearsal goes on to its end", error)
    );
  }
  console.log(`\n${counts.passed} checks passed, ${counts.failed} failed`);
  Deno.exit(counts.failed > 0 ? 1 : 0);
}

async function rehearse(deno: string, denokv: string): Promise<void> {
  console.log(`\nDeno ${await versionOf(deno)}`);
  let tree: DeployedTree | undefined;
  await check("the install and build commands of deno.json succeed", async () => {
    tree = await DeployedTree.build(SOURCE, deno);
  });
  await using built = tree!;
  await printSizes(built);
  const before = await built.state();
  await visitAll(built, denokv);
  await check("nothing was written into the service's folder", async () => {
    assertEquals(await built.state(), before);
  });
}

async function visitAll({ deno, root, uid }: DeployedTree, denokv: string): Promise<void> {
  await using server = await DenokvServer.start(denokv);
  await using mock = await MockProviders.start();
  const dir = await Deno.makeTempDir();
  try {
    await Deno.chmod(dir, 0o755);
    await Deno.writeTextFile(`${dir}/catalogue.json`, JSON.stringify([catalogueEntry()]));
    const options: DeployOptions = {
      ...{ deno, root, flags: NARROWER },
      ...uid !== undefined && { uid },
      store: { path: server.url, token: Deno.env.get("DENO_KV_ACCESS_TOKEN")! },
      env: {
        CATALOGUE: `${dir}/catalogue.json`,
        VENDOR_A_BASE_URL: mock.url,
        VENDOR_A_API_KEY: "sk-test",
      },
    };
    const left = await visitEntry(options, mock);
    const args = ["serve", "-A", ...NARROWER, "_fresh/server.js"];
    await using process = await DeployedProcess.start({ ...options, args });
    const visit = new Visit(process.url, left.key);
    // An address may send 20 messages a minute.
    await checkStop(check, { process, visit, mock, agent: left.agent, streams: 5 });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** All checks of the entry that the platform starts, to its end; what they leave in the store. */
async function visitEntry(
  options: DeployOptions,
  mock: MockProviders,
): Promise<{ agent: string; key: string }> {
  await using process = await DeployedProcess.start(options);
  const visit = new Visit(process.url);
  const deployed = { process, visit, mock };
  const agent = await checkService(check, deployed);
  const { key } = visit;
  await checkKnowledge(check, deployed);
  await checkLoad(check, deployed);
  await checkMemory(check, process);
  // A key of its own: the load has used up the other's minute.
  await checkStop(check, { ...deployed, visit: new Visit(process.url, key), agent });
  return { agent, key };
}

/** Later checks build on earlier ones, so a failed one ends the rehearsal of its version. */
async function check(...[name, run]: Parameters<Check>): Promise<void> {
  await run().then((measured) => report(measured ? `${name}: ${measured}` : name), (error) => {
    report(name, error);
    throw new Failed();
  });
}

function report(name: string, error?: unknown): void {
  if (error instanceof Failed) return;
  counts[error === undefined ? "passed" : "failed"]++;
  console.log(`  ${error === undefined ? "ok    " : "FAILED"} ${name}`);
  if (error !== undefined) console.error(error);
}

async function printSizes(tree: DeployedTree): Promise<void> {
  const { source, packages, largest } = await tree.sizes();
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`         source and build ${mb(source)}, packages ${mb(packages)}, among them`);
  for (const [name, bytes] of largest) console.log(`         ${mb(bytes).padStart(8)} ${name}`);
}

async function versionOf(deno: string): Promise<string> {
  const { stdout } = await new Deno.Command(deno, { args: ["--version"] }).output();
  return new TextDecoder().decode(stdout).split(/\s/)[1]!;
}

/** Deno in another version, from the npm registry. */
async function denoProgram(version: string): Promise<string> {
  const args = ["--yes", `deno@${version}`, "eval", "console.log(Deno.execPath())"];
  const { success, stdout } = await new Deno.Command("npx", { args, stderr: "null" }).output();
  if (!success) missing(`Deno ${version} could not be had: "npx --yes deno@${version}" failed`);
  return new TextDecoder().decode(stdout).trim();
}

async function denokvProgram(): Promise<string> {
  const program = Deno.env.get("DENOKV_BIN") ?? "";
  const found = await Deno.stat(program).catch(() => undefined);
  if (found?.isFile) return program;
  return missing(
    "DENOKV_BIN must name the denokv program, which stands for the platform's database. " +
      'Build it with "cargo install denokv --locked" (needs gcc and cmake)',
  );
}

function missing(what: string): never {
  console.error(`NOT REHEARSED: ${what}`);
  Deno.exit(2);
}
