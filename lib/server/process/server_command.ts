import { SERVER_V8_FLAGS, serverScriptPath } from "./server_script.ts";

/** How the supervisor starts a server process. */
export interface ServerCommand {
  path: string;
  args: string[];
}

/** The script that `deno task start` has written, or Deno itself if this process may run anything. */
export async function serverCommand(
  root: string,
  env: Record<string, string>,
): Promise<ServerCommand> {
  const { state } = await Deno.permissions.query({ name: "run" });
  if (state !== "granted") return { path: `${root}/${serverScriptPath(env)}`, args: [] };
  const flags = ["-A", "--cached-only", "--frozen", "--config", `${root}/deno.json`];
  return {
    path: Deno.execPath(),
    args: ["run", ...flags, `--v8-flags=${SERVER_V8_FLAGS}`, `${root}/main.ts`],
  };
}
