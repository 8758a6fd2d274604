/** `Dockerfile`, `.dockerignore` and `compose.yaml` agree with the service; `image_test.ts` runs them. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import manifest from "@/deno.json" with { type: "json" };
import { allVariables } from "@/lib/server/config/variables.ts";
import { copiedBy } from "./support/container/docker_ignore.ts";

/** The tasks that can run in a container. */
const IMAGE_TASKS = [
  ...[
    "start",
    "doctor",
    "keys",
    "secrets",
    "users",
    "audit",
    "compact",
    "verify",
    "evals",
  ] as const,
  ...["backup", "restore", "verify-backup", "copy-store"] as const,
];

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const read = (path: string) => Deno.readTextFile(`${ROOT}/${path}`);

/** Variables that an image or its folders decide. */
const OF_THE_IMAGE = ["HOST", "DATA_DIR", "KV_PATH", "KV_URL", "CATALOGUE", "BACKUP_DIR"];
/** For several processes only: a single one cannot hand requests to another. */
const OF_FLEETS = ["DRAIN_SECONDS"];

Deno.test("copiedBy: the last rule that matches a file or its folder decides", () => {
  const isCopied = copiedBy("*\n# a comment\n!lib\n!main.ts\n**/*_test.ts\n**/.env*\n");
  const copied = ["main.ts", "lib/a.ts", "lib/a/b.test.ts"];
  const left = ["main.tsx", "docs/a.md", "lib/a_test.ts", "lib/a/.env.local", ".env", "libs/a.ts"];
  assertEquals(copied.filter(isCopied), copied);
  assertEquals(left.filter(isCopied), []);
});

Deno.test(".dockerignore: the image gets what a task of the service runs, and nothing private", async () => {
  const isCopied = copiedBy(await read(".dockerignore"));
  for (const entry of Object.values(manifest.tasks).flatMap(entriesOf)) {
    const isForWorkingCopies = /^(tests|bench)\//.test(entry);
    assertEquals(isCopied(entry), !isForWorkingCopies, entry);
  }
  const other = [
    ".env",
    ".data/secrets.json",
    "backups/kv.sqlite3",
    "tests/image_test.ts",
    ".git/HEAD",
  ];
  const inside = [
    "lib/.env.local",
    "cli/kv.sqlite3-wal",
    "lib/a_test.ts",
    "tools/.data/lock",
    "x.log",
  ];
  assertEquals([...other, ...inside].filter(isCopied), []);
});

/** The files that a task runs. */
function entriesOf(task: string): string[] {
  return [...task.matchAll(/(?<= )[\w/]+\.ts\b/g)].map(([path]) => path);
}

Deno.test("Dockerfile: versions of Deno and Node, paths, user and signals are those of the service", async () => {
  const [text, readme] = await Promise.all(["Dockerfile", "README.md"].map(read));
  const [, deno] = /npx --yes deno@(\S+) task start/.exec(readme!) ?? [];
  assertMatch(text!, new RegExp(`^ARG DENO_VERSION=${deno}$`, "m"));
  const [, node] = /^ARG NODE_IMAGE=\S+node:(\d+)-/m.exec(text!) ?? [];
  assertEquals(manifest.scopes["./tests/"]["@types/node"].split("@").at(-1)!.split(".")[0], node);
  const instruction = (name: string) =>
    text!.split("\n").findLast((one) => one.startsWith(`${name} `));
  // The exec form: a shell would not forward SIGTERM.
  assertEquals(instruction("CMD"), 'CMD ["deno", "task", "start"]');
  assertEquals(instruction("STOPSIGNAL"), "STOPSIGNAL SIGTERM");
  assertEquals(instruction("USER"), "USER 10001:10001");
  assertEquals(instruction("VOLUME"), "VOLUME /data");
  const environments = [...text!.matchAll(/^ENV (.*)$/gm)].map(([, words]) => words!.split(" "));
  // The scripts that the service may run are written by the build, with these in them.
  for (const name of ["HOME", "DATA_DIR", "DENO_DIR"]) {
    const values = environments.map((words) => words.find((word) => word.startsWith(`${name}=`)));
    assertEquals(new Set(values).size, 1, name);
  }
  const names = environments.flat().map((word) => word.split("=")[0]!);
  const known = [
    ...allVariables().map(({ name }) => name),
    "HOME",
    "DENO_DIR",
    "DENO_NO_UPDATE_CHECK",
  ];
  assertEquals(names.filter((name) => !known.includes(name)), []);
  assertEquals(allVariables().filter((one) => one.secret && names.includes(one.name)), []);
  const [cached] = /deno cache --frozen ([\s\S]*?)\n\n/.exec(text!)!.slice(1);
  for (const task of IMAGE_TASKS) {
    for (const entry of entriesOf(manifest.tasks[task])) {
      assert(cached!.includes(entry.replace(/^cli\/.*/, "cli/*.ts")), entry);
    }
  }
});

Deno.test("compose.yaml: passes every setting, and gives the service as few rights as the image needs", async () => {
  const { services, volumes } = parse(await read("compose.yaml"));
  const service = services["agent-chat"];
  const names = allVariables().map(({ name }) => name).filter((name) =>
    ![...OF_THE_IMAGE, ...OF_FLEETS].includes(name)
  );
  assertEquals(Object.keys(service.environment).sort(), names.sort());
  for (const [name, value] of Object.entries(service.environment)) {
    assertEquals(value, name === "PORT" ? "${PORT:-8000}" : `\${${name}:-}`);
  }
  assertEquals(service.ports, ["${BIND_ADDRESS:-127.0.0.1}:${PORT:-8000}:${PORT:-8000}"]);
  assertEquals(Object.keys(service.build.args), ["BACKUP_EVERY", "BACKUP_KEEP"]);
  for (const [name, value] of Object.entries(service.build.args)) {
    assertEquals(value, service.environment[name]);
  }
  assertEquals([service.volumes, Object.keys(volumes)], [["data:/data"], ["data"]]);
  assertEquals([service.read_only, service.cap_drop], [true, ["ALL"]]);
  assertEquals(service.security_opt, ["no-new-privileges:true"]);
  // Longer than the deadline of the service.
  assert(parseInt(service.stop_grace_period) > 10);
});
