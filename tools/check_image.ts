/**
 * `deno task check:image` builds the image of `Dockerfile`, starts it without a network and with a
 * read-only root, chats with it and stops it (`tests/image_test.ts`). `IMAGE` names an image that is
 * built already. With `--bases-from-debian` it makes the two base images from Debian's packages and this
 * machine's Node, for a machine that reaches no image registry (needs root, debootstrap and buildah).
 * Exits with the code of the tests, or 2 without a container engine.
 */
import { makeBaseImages } from "./make_base_images.ts";

const NAME = "localhost/agent-chat:check";
const CA = "/etc/ssl/certs/ca-certificates.crt";
const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

if (import.meta.main) Deno.exit(await check());

async function check(): Promise<number> {
  const areBasesMade = Deno.args.includes("--bases-from-debian");
  const builder = await firstThatRuns(areBasesMade ? ["buildah"] : ["docker", "buildah"]);
  if (builder === undefined) {
    console.error(
      "NOTHING WAS TESTED: install Docker, or apt-get install buildah podman crun runc debootstrap",
    );
    return 2;
  }
  let image = Deno.env.get("IMAGE");
  if (image === undefined) {
    const bases = areBasesMade ? await makeBaseImages() : {};
    if (!await run(builder, buildArguments(builder, bases))) return 1;
    image = NAME;
  }
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "tests/image_test.ts"],
    cwd: root,
    env: { IMAGE: image },
  }).spawn().status;
  return code;
}

function buildArguments(builder: string, bases: Record<string, string>): string[] {
  const args = Object.entries(bases).map(([name, image]) => `--build-arg=${name}=${image}`);
  if (exists(CA)) args.push(`--secret=id=ca,src=${CA}`);
  // Inside a virtual machine without cgroups v2, buildah can run commands in a chroot only.
  const own = ["build", "--format=docker", "--isolation=chroot", "--network=host", "--layers"];
  return [...builder === "docker" ? ["build"] : own, ...args, `--tag=${NAME}`, root];
}

async function firstThatRuns(names: string[]): Promise<string | undefined> {
  for (const name of names) {
    try {
      const { success } = await new Deno.Command(name, {
        args: ["info"],
        stdout: "null",
        stderr: "null",
      }).output();
      if (success) return name;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

async function run(command: string, args: string[]): Promise<boolean> {
  return (await new Deno.Command(command, { args }).spawn().status).success;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
