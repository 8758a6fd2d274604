import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { applyFolder, planFolder, type Terminal } from "@/cli/agents/apply_folder.ts";
import { exportFolder } from "@/cli/agents/export_folder.ts";
import { describeIssue, describePlan } from "@/cli/agents/describe_plan.ts";
import { FolderError, loadFolder } from "@/cli/agents/folder.ts";
import { ServiceClient } from "@/cli/service_client.ts";
import { TestService, type TestServiceOptions } from "./service.ts";

export const MODEL = { provider: "vendor_a", model: "demo" };

/** A file of an agent that any test service takes. */
export function agentFile(key: string, more: Record<string, unknown> = {}) {
  return { key, name: key, systemPrompt: `You are ${key}.`, modelPolicy: MODEL, ...more };
}

type Files = Record<string, unknown>;

/** Writes files: objects as YAML, texts and bytes as they are. */
export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [name, value] of Object.entries(files)) {
    const path = join(root, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    if (value instanceof Uint8Array) await Deno.writeFile(path, value);
    else await Deno.writeTextFile(path, typeof value === "string" ? value : stringify(value));
  }
}

/** A service with a key for deployments, and folders that are applied to it in this process. */
export async function openAgentFolders(options: TestServiceOptions = {}) {
  const service = await TestService.start({
    ...options,
    limits: { ipRequests: 1e6, keyRequests: 1e6, ...options.limits },
  });
  const key = await service.key(["agents:write", "knowledge:write"]);
  const root = await Deno.realPath(await Deno.makeTempDir());
  const address = { url: service.url, apiKey: key };
  const hooks: { beforeWrite?: ((write: string) => Promise<void>) | undefined } = {};
  /** Every request that would change something. */
  const writes: string[] = [];
  const client = new class extends ServiceClient {
    override async request(...of: Parameters<ServiceClient["request"]>): Promise<Response> {
      const [method, path] = of;
      if (method !== "GET" && path !== "/configuration/check") {
        writes.push(`${method} ${path}`);
        await hooks.beforeWrite?.(`${method} ${path}`);
      }
      return await super.request(...of);
    }
  }(address);
  const call = (method: string, path: string, init: Record<string, unknown> = {}) =>
    service.fetch(`/v1${path}`, { method, key, ...init });

  /** Applies without asking. An error is a result. */
  const apply = async (
    folder: string,
    { terminal, ...args }: {
      prune?: boolean;
      yes?: boolean;
      dryRun?: boolean;
      takeOver?: boolean;
      terminal?: Partial<Terminal>;
    } = {},
  ) => {
    writes.length = 0;
    const out: string[] = [];
    const all: Terminal = {
      print: (text) => out.push(text),
      note: (text) => out.push(text),
      confirm: undefined,
      interruptible: (task) => task(new AbortController().signal),
      sleep: () => Promise.resolve(),
      ...terminal,
    };
    const given = { prune: false, yes: true, dryRun: false, takeOver: false, wait: 0, ...args };
    const code = await applyFolder(
      { ...address, ...given, action: "apply", folder: join(root, folder) },
      { client, terminal: all },
    ).catch((error) => {
      if (error instanceof FolderError) out.push(...error.issues.map(describeIssue));
      out.push(String(error.message));
      return "error" as const;
    });
    const changed = writes.filter((one) => !one.endsWith("/configuration/lock"));
    return { code, out: out.join("\n"), writes: changed };
  };
  const diff = async (folder: string, prune = false): Promise<string> => {
    const loaded = await loadFolder(join(root, folder));
    return describePlan((await planFolder(loaded, { client, prune })).plan);
  };
  return {
    ...{ service, key, root, address, client, hooks, call, apply, diff },
    write: (folder: string, files: Files) => writeFiles(join(root, folder), files),
    read: (file: string) => Deno.readTextFile(join(root, file)),
    export: (folder: string, force = false) =>
      exportFolder({ ...address, force, folder: join(root, folder) }, client),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await Deno.remove(root, { recursive: true });
    },
  };
}
