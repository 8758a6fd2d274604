/** Query parameter that carries the build id of a cacheable asset. */
export const ASSET_CACHE_BUST_KEY = "__frsh_c";

let current = "unbuilt";

/** The id of the current build; part of every asset URL. */
export function buildId(): string {
  return current;
}

/** Set as a build is loaded, and again before each render: one process may hold several apps. */
export function setBuildId(id: string): void {
  current = id;
}

/** Set by the host in deployments; undefined on a developer's machine. */
export function deploymentId(): string | undefined {
  return Deno.env.get("DENO_DEPLOYMENT_ID");
}

/** A hash of the deployed revision, so that all instances agree; random where none is known. */
export async function newBuildId(): Promise<string> {
  const revision = deploymentId() || Deno.env.get("GITHUB_SHA") || Deno.env.get("CI_COMMIT_SHA") ||
    crypto.randomUUID();
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(revision));
  return new Uint8Array(digest).toHex();
}
