import type { z } from "zod";
import type { ServiceConfig } from "../../http/service.ts";
import {
  type ConnectionConfig,
  DEFAULT_BASE_URLS,
  EMBEDDING_PROTOCOLS,
  hasEmbeddings,
} from "../../schemas/connection_config.ts";
import { isLoopbackHost } from "../../schemas/origins.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { OIDC_VARIABLES, toOidcConfig } from "./oidc_variables.ts";
import { connectionVariables, type EnvVariable, MAX_WORKERS, VARIABLES } from "./variables.ts";

/** Everything the environment decides; frozen. `docs/configuration.md` describes each variable. */
export interface Config extends ServiceConfig {
  readonly port: number;
  readonly host: string;
  /** How many processes serve requests. */
  readonly workers: number;
  readonly dataDir: string;
  /** The first signs, all verify. */
  readonly hmacSecrets?: readonly string[] | undefined;
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  readonly encryptionKeys?: readonly string[] | undefined;
  readonly smtpUrl?: string | undefined;
  readonly mailFrom?: string | undefined;
  readonly otelContent: boolean;
  readonly metricsToken?: string | undefined;
  readonly demo: "auto" | "on" | "off";
  readonly abandonedRunMs: number;
  readonly catalogueFile?: string | undefined;
  /** Time between backups; `undefined` for none. */
  readonly backupEveryMs?: number | undefined;
  readonly backupDir: string;
  readonly backupKeep: number;
  readonly backupPassphrase?: string | undefined;
}

export type ConfigIssue = { name: string; purpose: string; message: string };

/** Everything that is wrong with the environment. The message never holds a variable's value. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map((issue) => `  ${issue.name} ${issue.message} (${issue.purpose})`);
    super(`the environment is not usable:\n${lines.join("\n")}`);
    this.issues = issues;
  }
}

/** What `WORKERS` depends on. */
export interface Machine {
  os: typeof Deno.build.os;
  cpus: number;
}

const THIS_MACHINE: Machine = { os: Deno.build.os, cpus: navigator.hardwareConcurrency };

/** Parses the configuration. Blank variables count as unset. Throws `ConfigError` with every issue. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  machine: Machine = THIS_MACHINE,
): Config {
  const reader = new EnvReader(env);
  const values = reader.read(VARIABLES);
  // Not DENO_DEPLOYMENT_ID: Fresh also takes the build's name in containers from that one.
  const onDenoDeploy = reader.has("DENO_DEPLOY");
  const dataDir = values.dataDir?.replace(/\/+$/, "");
  const config: Config = {
    ...values,
    host: values.host ?? (values.publicUrl === undefined ? "127.0.0.1" : "0.0.0.0"),
    kvPath: values.kvPath ?? `${dataDir}/kv.sqlite3`,
    backupDir: values.backupDir ?? `${dataDir}/backups`,
    connections: readConnections(reader),
    oidc: readOidc(reader),
    onDenoDeploy,
    workers: countWorkers(values.workers, { machine, onDenoDeploy }),
  };
  if (config.workers > 1 && !hasWorkers({ machine, onDenoDeploy })) {
    const issue = onDenoDeploy ? "must be 1 on Deno Deploy" : "must be 1: more need Linux";
    reader.addIssue(VARIABLES.workers, issue);
  }
  if (onDenoDeploy && config.drainSeconds > 0) {
    reader.addIssue(
      VARIABLES.drainSeconds,
      "must be 0 on Deno Deploy, which waits 5 seconds in all",
    );
  }
  if (onDenoDeploy) {
    // Without a disk, a generated secret would differ at every start; there is no terminal to print
    // a token to, and no listening address to link to.
    const { hmacSecrets, encryptionKeys, setupToken, publicUrl } = VARIABLES;
    for (const variable of [hmacSecrets, encryptionKeys, setupToken, publicUrl]) {
      if (!reader.has(variable.name)) reader.addIssue(variable, "must be set on Deno Deploy");
    }
  }
  if (values.backupEveryMs !== undefined && !isStoreInFile(config)) {
    reader.addIssue(VARIABLES.backupEveryMs, "needs the store in a file");
  }
  for (const variable of [VARIABLES.smtpUrl, VARIABLES.mailFrom]) {
    const other = variable === VARIABLES.smtpUrl ? VARIABLES.mailFrom : VARIABLES.smtpUrl;
    if (reader.has(other.name) && !reader.has(variable.name)) {
      reader.addIssue(variable, `is needed because ${other.name} is set`);
    }
  }
  if (reader.issues.length > 0) throw new ConfigError(reader.issues);
  for (const value of Object.values(config)) Object.freeze(value);
  return Object.freeze(config);
}

/** Whether the store is a file of this machine, which can be copied. */
export function isStoreInFile(
  { kvUrl, kvPath, onDenoDeploy }: Pick<Config, "kvUrl" | "kvPath" | "onDenoDeploy">,
): boolean {
  return kvUrl === undefined && kvPath !== ":memory:" && !onDenoDeploy;
}

/** True if `/demo` is available. `hasCredential`: a connection is set up in the dashboard. */
export function isDemoEnabled(config: Config, options: { hasCredential?: boolean } = {}): boolean {
  if (config.demo !== "auto") return config.demo === "on";
  return Object.keys(config.connections).length === 0 && options.hasCredential !== true;
}

/** Whether only this machine can reach the service: no proxy leads to it either. */
export function isOnLoopbackOnly(
  { host, publicUrl, onDenoDeploy }: Pick<Config, "host" | "publicUrl" | "onDenoDeploy">,
): boolean {
  const isPublic = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  return isLoopbackHost(host) && !isPublic && !onDenoDeploy;
}

/** The address on this machine, for links when `PUBLIC_URL` is unset. */
export function localUrl({ host }: Pick<Config, "host">, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

interface Host {
  machine: Machine;
  onDenoDeploy: boolean;
}

/** Only Linux distributes connections over the processes that listen on one port. */
function hasWorkers({ machine, onDenoDeploy }: Host): boolean {
  return machine.os === "linux" && !onDenoDeploy;
}

function countWorkers(workers: number | "auto", host: Host): number {
  if (workers !== "auto") return workers;
  // The supervisor, which executes the calls of the store, has a core too.
  return hasWorkers(host) ? Math.min(Math.max(host.machine.cpus - 1, 1), MAX_WORKERS) : 1;
}

/** The provider of sign-ins; half of one is an issue, because ignoring it would hide a mistake. */
function readOidc(reader: EnvReader): Config["oidc"] {
  const { issuer, clientId, ...values } = reader.read(OIDC_VARIABLES);
  if (issuer !== undefined && clientId !== undefined) {
    return toOidcConfig({ ...values, issuer, clientId });
  }
  const { issuer: issuerVariable, clientId: clientVariable } = OIDC_VARIABLES;
  const set = Object.values(OIDC_VARIABLES).find(({ name }) => reader.has(name));
  for (const variable of set ? [issuerVariable, clientVariable] : []) {
    if (!reader.has(variable.name)) {
      reader.addIssue(variable, `is needed because ${set!.name} is set`);
    }
  }
  return undefined;
}

function readConnections(reader: EnvReader): Config["connections"] {
  const connections: Partial<Record<ProviderId, ConnectionConfig>> = {};
  for (const id of PROVIDER_IDS) {
    const connection = readConnection(reader, id);
    if (connection) connections[id] = Object.freeze(connection);
  }
  return connections;
}

function readConnection(reader: EnvReader, id: ProviderId): ConnectionConfig | undefined {
  const variables = connectionVariables(id);
  const { protocol, baseUrl, apiKey, name, embeddingModel } = reader.read(variables);
  if (embeddingModel !== undefined && !hasEmbeddings(protocol)) {
    const known = EMBEDDING_PROTOCOLS.join(" or ");
    reader.addIssue(variables.embeddingModel, `needs the protocol ${known}`);
  }
  if (apiKey === undefined) {
    // Ignoring half a connection would hide a mistake. A server without credentials accepts any.
    const other = Object.values(variables).find((variable) => reader.has(variable.name));
    // An invalid credential has an issue of its own.
    if (other && !reader.has(variables.apiKey.name)) {
      reader.addIssue(variables.apiKey, `is needed because ${other.name} is set`);
    }
    return undefined;
  }
  return {
    protocol,
    baseUrl: baseUrl ?? DEFAULT_BASE_URLS[protocol],
    apiKey,
    name,
    ...embeddingModel !== undefined && { embeddingModel },
  };
}

type Values<V extends Record<string, EnvVariable>> = { [K in keyof V]: z.output<V[K]["schema"]> };

class EnvReader {
  readonly issues: ConfigIssue[] = [];
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  has(name: string): boolean {
    return this.#text(name) !== undefined;
  }

  /** The values by the keys of `variables`. One that is invalid is missing, and an issue. */
  read<V extends Record<string, EnvVariable>>(variables: V): Values<V> {
    const values: Record<string, unknown> = {};
    for (const [key, variable] of Object.entries(variables)) {
      const parsed = variable.schema.safeParse(this.#text(variable.name));
      if (parsed.success) values[key] = parsed.data;
      else this.addIssue(variable, parsed.error.issues[0]!.message);
    }
    return values as Values<V>;
  }

  addIssue({ name, purpose }: EnvVariable, message: string): void {
    this.issues.push({ name, purpose, message });
  }

  #text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }
}
