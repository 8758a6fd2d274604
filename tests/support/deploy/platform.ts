/**
 * Deno Deploy as its documentation describes it (docs.deno.com/deploy/reference: builds, runtime and
 * environment variables), for processes on this machine.
 */
import manifest from "@/deno.json" with { type: "json" };

/** Milliseconds between SIGINT and SIGKILL. */
export const STOP_MS = 5_000;
/** The app's minimum memory: 512 MB. */
export const MEMORY_BYTES = 512_000_000;
/** V8's heap on a machine of that size: half of it. */
export const HEAP_FLAG = "--v8-flags=--max-old-space-size=256";
/** The app's entry point. */
export const ENTRY = manifest.deploy.runtime.entrypoint;
/** The build steps, run in the app's folder. */
export const BUILD_STEPS = [manifest.deploy.install, manifest.deploy.build];

/** Set in every process of an app. */
const EVERYWHERE = {
  DENO_DEPLOY: "true",
  DENO_DEPLOY_ORG_ID: "8e1b6a0e-4a0c-4c53-9a39-0c5b8c9f1a10",
  DENO_DEPLOY_ORG_SLUG: "rehearsal",
  DENO_DEPLOY_APP_ID: "2c6d7f62-7c2e-4f0b-8f0c-58a1c1a3a3f4",
  DENO_DEPLOY_APP_SLUG: "agent-chat",
  DENO_DEPLOY_BUILD_ID: "r3v1s10n",
  DENO_NO_UPDATE_CHECK: "1",
};

export const BUILD_ENV: Readonly<Record<string, string>> = { ...EVERYWHERE, CI: "true" };

/** The operator's settings: those that `docs/configuration.md` names as required there. */
export const SETTINGS = {
  API_KEY_HMAC_SECRET: "a rehearsal's secret of more than 32 characters",
  ENCRYPTION_KEY: btoa("a rehearsal's key of 32 bytes...".slice(0, 32)),
  SETUP_TOKEN: "a rehearsal's set-up token",
  PUBLIC_URL: "https://chat.example.com",
};

/** The app's store: a server with its token, or a file. */
export interface DeployStore {
  path: string;
  token?: string;
}

/** Environment of a running process, without anything from this machine. */
export function runtimeEnv(port: number, store: DeployStore): Record<string, string> {
  return {
    ...EVERYWHERE,
    ...SETTINGS,
    DENO_DEPLOYMENT_ID: "d3pl0ym3nt",
    DENO_TIMELINE: "production",
    // How the platform redirects `Deno.serve` and `Deno.openKv()`.
    DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
    DENO_KV_DEFAULT_PATH: store.path,
    ...store.token !== undefined && { DENO_KV_ACCESS_TOKEN: store.token },
  };
}
