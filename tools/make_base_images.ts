/** The base images of `Dockerfile`, for a machine that reaches Debian's packages but no image registry. */

const SUITE = "trixie";
const BASE = `localhost/debian-${SUITE}`;
const NODE = `localhost/node-${SUITE}`;
const NODE_FILE = `FROM ${BASE}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
`;

/** Makes the images, unless they exist, and returns them as build arguments. */
export async function makeBaseImages(): Promise<Record<string, string>> {
  await makeBase();
  await makeNode();
  return { BASE_IMAGE: BASE, NODE_IMAGE: NODE };
}

async function makeBase(): Promise<void> {
  if (await succeeds("buildah", ["inspect", "--type=image", BASE])) return;
  const dir = await Deno.makeTempDir();
  try {
    console.error(`making ${BASE} …`);
    await run("debootstrap", [
      "--variant=minbase",
      "--include=ca-certificates",
      SUITE,
      `${dir}/root`,
    ]);
    await Deno.writeTextFile(`${dir}/Dockerfile`, "FROM scratch\nCOPY root /\n");
    await buildIn(dir, BASE);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The real image has Node in the same places. */
async function makeNode(): Promise<void> {
  if (await succeeds("buildah", ["inspect", "--type=image", NODE])) return;
  const dir = await Deno.makeTempDir();
  try {
    console.error(`making ${NODE} …`);
    const node = await text("node", ["-p", "fs.realpathSync(process.execPath)"]);
    const npm = `${await text("npm", ["root", "--global"])}/npm`;
    await Deno.copyFile(node, `${dir}/node`);
    await run("cp", ["-r", npm, `${dir}/npm`]);
    await Deno.writeTextFile(`${dir}/Dockerfile`, NODE_FILE);
    await buildIn(dir, NODE);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function buildIn(dir: string, image: string): Promise<void> {
  await run("buildah", ["build", "--isolation=chroot", "--quiet", `--tag=${image}`, dir]);
}

async function run(command: string, args: string[]): Promise<void> {
  const { success } = await new Deno.Command(command, {
    args,
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
    .output();
  return success;
}

async function text(command: string, args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(command, { args, stderr: "inherit" }).output();
  return new TextDecoder().decode(stdout).trim();
}
