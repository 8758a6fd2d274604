import type { Config } from "../config.ts";

/** The address on this machine, for links, when no `PUBLIC_URL` says otherwise. */
export function localUrl({ host }: Pick<Config, "host">, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
