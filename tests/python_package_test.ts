/** packages/python, built, installed and tested against a real service. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pythonFiles } from "@/tools/build_python.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { SCOPE_NAMES } from "@/lib/schemas/scopes.ts";
import { canInstallPython, PythonProject } from "./support/python_project.ts";
import { TestService } from "./support/service.ts";

const PACKAGE = new URL("../packages/python/", import.meta.url).pathname;
const BACKEND = "hatchling==1.31.0";
const TOOLS = ["build==1.6.1", BACKEND];

Deno.test("packages/python: its generated files are those of the API document and of the async client", async () => {
  for (const [name, text] of Object.entries(await pythonFiles())) {
    assertEquals(await Deno.readTextFile(`${PACKAGE}src/agent_chat/${name}`), text, name);
  }
});

/** The demo model's pauses between words are short; so that it can be stopped, there are some. */
const FAST_SPEECH = {
  sleep: (ms: number, signal?: AbortSignal) => systemRuntime.sleep(ms < 100 ? ms / 10 : ms, signal),
};

/** The examples of the README as one program, with the service's values. */
async function readmeProgram(
  { AGENT_CHAT_URL, AGENT_CHAT_API_KEY, agentId }: {
    AGENT_CHAT_URL: string;
    AGENT_CHAT_API_KEY: string;
    agentId: string;
  },
): Promise<string> {
  const text = await Deno.readTextFile(`${PACKAGE}README.md`);
  return [...text.matchAll(/^```python\n(.*?)^```/gms)].map(([, code]) => code).join("\n")
    .replace("https://chat.example.com", AGENT_CHAT_URL)
    .replace("ck_live_…", AGENT_CHAT_API_KEY)
    .replace("7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11", agentId);
}

Deno.test({
  name:
    "packages/python: builds, installs, type-checks, and passes its tests and README against a real service",
  ignore: !await canInstallPython(BACKEND),
  async fn() {
    await using project = await PythonProject.create(...TOOLS);
    await using service = await TestService.start({ runtime: FAST_SPEECH });
    const { folder } = project;
    // Checks that the backend which pyproject.toml demands is installed.
    const build = ["build", "--no-isolation", "--outdir", `${folder}/dist`];
    const built = await project.module([...build, PACKAGE]);
    assertMatch(built, /agent_chat-0\.1\.0-py3-none-any\.whl/);
    const wheel = `${folder}/dist/agent_chat-0.1.0-py3-none-any.whl`;
    const files = await project.module(["zipfile", "-l", wheel]);
    for (const file of ["agent_chat/py.typed", "licenses/LICENSE"]) {
      assertStringIncludes(files, file);
    }
    await project.install(`${wheel}[test]`, "httpx==0.28.1");
    const env = {
      AGENT_CHAT_URL: service.url,
      AGENT_CHAT_API_KEY: await service.key([...SCOPE_NAMES]),
    };
    const strict = ["--strict", "--cache-dir", `${folder}/mypy`];
    await project.module(["mypy", ...strict, "-p", "agent_chat"]);
    const tests = ["-q", "-p", "no:cacheprovider", `${PACKAGE}tests`];
    const printed = await project.module(["pytest", ...tests], env);
    assertMatch(printed, /\b2[0-9] passed/);
    const agent = await service.agent(env.AGENT_CHAT_API_KEY, { name: "Documented" });
    const told = await project.run(await readmeProgram({ ...env, agentId: agent.id }));
    assertMatch(
      told,
      /You asked: “Where is my order\?”[^]*^stop, [\d.e-]+ USD$[^]*^Documented 1$/m,
    );
  },
});
