import { freePort } from "./free_port.ts";

/** Starts HAProxy with a configuration for a loopback port and waits until it listens. */
export async function startHaproxy(
  configAt: (port: number) => Promise<string>,
): Promise<AsyncDisposable & { host: string }> {
  const port = freePort();
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/haproxy.cfg`, await configAt(port));
  const child = new Deno.Command("/usr/sbin/haproxy", {
    args: ["-db", "-q", "-f", `${dir}/haproxy.cfg`],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let ended = false;
  const status = child.status.then(() => ended = true);
  const dispose = async () => {
    if (!ended) child.kill("SIGTERM");
    await status;
    await Deno.remove(dir, { recursive: true });
  };
  while (true) {
    const open = Deno.connect({ hostname: "127.0.0.1", port });
    const listens = await open.then((connection) => (connection.close(), true), () => false);
    if (listens) return { host: `127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose };
    if (ended) throw new Error("HAProxy has ended");
  }
}
