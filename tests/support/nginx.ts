import { freePort } from "./free_port.ts";

/** Path in Debian's package. */
const NGINX = "/usr/sbin/nginx";

/** Whether nginx is installed, as by `apt-get install nginx`. */
export async function hasNginx(): Promise<boolean> {
  return (await Deno.stat(NGINX).catch(() => undefined))?.isFile === true;
}

/** A proxy in front of `upstream` with nginx's defaults, including buffering. */
export function startNginx(upstream: string): Promise<AsyncDisposable & { url: string }> {
  return startNginxWith((port) =>
    `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
    }
  }`
  );
}

/** A proxy with the given content of nginx's `http` block, on a loopback port. */
export async function startNginxWith(
  sitesAt: (port: number) => string,
): Promise<AsyncDisposable & { url: string }> {
  const dir = await Deno.makeTempDir();
  const port = freePort();
  const sites = sitesAt(port);
  await Deno.writeTextFile(`${dir}/nginx.conf`, configuration({ dir, sites }));
  const child = new Deno.Command(NGINX, {
    args: ["-p", dir, "-c", `${dir}/nginx.conf`, "-e", `${dir}/error.log`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const dispose = async () => {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(dir, { recursive: true });
  };
  const url = `http://127.0.0.1:${port}`;
  while (
    !await fetch(url).then((response) => response.body?.cancel().then(() => true), () => false)
  ) {
    // It listens within milliseconds, or it has ended.
    const ended = await Promise.race([child.status, new Promise((r) => setTimeout(r, 5))]);
    if (ended !== undefined) throw new Error(await Deno.readTextFile(`${dir}/error.log`));
  }
  return { url, [Symbol.asyncDispose]: dispose };
}

function configuration({ dir, sites }: { dir: string; sites: string }): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${dir}/${name};`).join(" ");
  return `daemon off;
master_process off;
pid ${dir}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary}
  ${sites}
}
`;
}
