import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import {
  type ConnectionLetter,
  connectionVariables,
  DEFAULT_BASE_URLS,
  type DefaultedVariable,
  type EnvVariable,
  type LogLevel,
  type Protocol,
  VARIABLES,
} from "./variables.ts";

export { PROTOCOLS } from "./variables.ts";
export type { LogLevel, Protocol } from "./variables.ts";

/** A vendor slot that the environment sets up. */
export interface ConnectionConfig {
  readonly protocol: Protocol;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name?: string | undefined;
  /** The model by which passages of knowledge bases are compared, where there is one. */
  readonly embeddingModel?: string | undefined;
}

/** All that the environment decides; frozen, its documentation is `docs/configuration.md`. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly cdnUrl?: string | undefined;
  readonly dataDir: string;
  readonly kvPath: string;
  readonly kvUrl?: string | undefined;
  /** The first signs, all verify. */
  readonly hmacSecrets?: readonly string[] | undefined;
  /** Each base64 of 32 bytes. The first encrypts, all decrypt. */
  readonly encryptionKeys?: readonly string[] | undefined;
  readonly setupToken?: string | undefined;
  readonly demo: "auto" | "on" | "off";
  readonly demoModel: boolean;
  readonly trustedProxyHops: number;
  readonly egressAllow: readonly string[];
  readonly unwatchedRunMs: number;
  readonly logLevel: LogLevel;
  readonly catalogueFile?: string | undefined;
  readonly connections: Readonly<Partial<Record<ProviderId, ConnectionConfig>>>;
  readonly onDenoDeploy: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What is wrong with one variable. */
export interface ConfigIssue {
  name: string;
  purpose: string;
  message: string;
}

/** Everything wrong with the environment at once; no variable's value is ever in the message. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly issues: readonly ConfigIssue[];

  constructor(problems: readonly ConfigIssue[]) {
    const lines = problems.map((one) => `  ${one.name} ${one.message} (${one.purpose})`);
    super(`the environment is not usable:\n${lines.join("\n")}`);
    this.issues = problems;
  }
}

/** Reads the configuration. Throws `ConfigError` with every problem; a blank counts as unset. */
export function readConfig(env: Env): Config {
  const reader = new EnvReader(env);
  // Not DENO_DEPLOYMENT_ID: Fresh asks for that one in containers too, as the name of the build.
  const onDeploy = isEnvSet(env, "DENO_DEPLOY");
  const publicUrl = reader.optional(VARIABLES.publicUrl);
  const dataDir = reader.withDefault(VARIABLES.dataDir);
  const config: Config = {
    port: reader.withDefault(VARIABLES.port),
    host: reader.optional(VARIABLES.host) ?? (publicUrl === undefined ? "127.0.0.1" : "0.0.0.0"),
    publicUrl,
    cdnUrl: reader.optional(VARIABLES.cdnUrl),
    dataDir,
    kvPath: reader.optional(VARIABLES.kvPath) ?? `${dataDir.replace(/\/+$/, "")}/kv.sqlite3`,
    kvUrl: reader.optional(VARIABLES.kvUrl),
    hmacSecrets: reader.optional(VARIABLES.hmacSecrets),
    encryptionKeys: reader.optional(VARIABLES.encryptionKeys),
    setupToken: reader.optional(VARIABLES.setupToken),
    demo: reader.withDefault(VARIABLES.demo),
    demoModel: reader.withDefault(VARIABLES.demoModel),
    trustedProxyHops: reader.withDefault(VARIABLES.trustedProxyHops),
    egressAllow: Object.freeze(reader.withDefault(VARIABLES.egressAllow)),
    unwatchedRunMs: reader.withDefault(VARIABLES.unwatchedRunMs),
    logLevel: reader.withDefault(VARIABLES.logLevel),
    catalogueFile: reader.optional(VARIABLES.catalogueFile),
    connections: readConnections(reader),
    onDenoDeploy: onDeploy,
  };
  if (onDeploy) {
    // No disk to keep secrets on, no terminal to print a token to, no address of our own to link to.
    const { hmacSecrets, encryptionKeys, setupToken, publicUrl } = VARIABLES;
    reader.requireAll([hmacSecrets, encryptionKeys, setupToken, publicUrl]);
  }
  reader.throwIssues();
  if (config.hmacSecrets) Object.freeze(config.hmacSecrets);
  if (config.encryptionKeys) Object.freeze(config.encryptionKeys);
  return Object.freeze(config);
}

/** Whether `/demo` is offered; `hasCredential` says of slots set up in the dashboard. */
export function isDemoEnabled(config: Config, options: { hasCredential?: boolean } = {}): boolean {
  if (config.demo !== "auto") return config.demo === "on";
  return Object.keys(config.connections).length === 0 && options.hasCredential !== true;
}

function readConnections(reader: EnvReader): Config["connections"] {
  const vendors: Partial<Record<ProviderId, ConnectionConfig>> = {};
  for (const vendor of PROVIDER_IDS) {
    const slot = readConnection(reader, vendor.slice(-1).toUpperCase() as ConnectionLetter);
    if (slot) vendors[vendor] = Object.freeze(slot);
  }
  return Object.freeze(vendors);
}

function readConnection(reader: EnvReader, letter: ConnectionLetter): ConnectionConfig | undefined {
  const fields = connectionVariables(letter);
  const apiKey = reader.optional(fields.apiKey);
  const others = [fields.protocol, fields.baseUrl, fields.name, fields.embeddingModel];
  const given = others.find((field) => reader.has(field));
  const protocol = reader.withDefault(fields.protocol);
  const baseUrl = reader.optional(fields.baseUrl) ?? DEFAULT_BASE_URLS[protocol];
  const name = reader.optional(fields.name);
  const embeddingModel = reader.optional(fields.embeddingModel);
  if (embeddingModel !== undefined && protocol === "anthropic") {
    reader.addIssue(fields.embeddingModel, "needs the protocol openai or google");
  }
  const embedding = embeddingModel === undefined ? {} : { embeddingModel };
  if (apiKey !== undefined) return { protocol, baseUrl, apiKey, name, ...embedding };
  // Half a slot would be ignored in silence; a server that needs no credential takes any.
  if (given) reader.addIssue(fields.apiKey, `is needed because ${given.name} is set`);
  return undefined;
}

class EnvReader {
  #env: Env;
  #issues: ConfigIssue[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  has(field: EnvVariable<unknown>): boolean {
    return isEnvSet(this.#env, field.name);
  }

  optional<T>(field: EnvVariable<T>): T | undefined {
    if (!this.has(field)) return undefined;
    const parsed = field.parse(this.#env[field.name]!.trim());
    if ("value" in parsed) return parsed.value;
    this.addIssue(field, parsed.problem);
    return undefined;
  }

  withDefault<T>(field: DefaultedVariable<T>): T {
    return this.optional(field) ?? field.fallback;
  }

  /** Without a lasting disk, a secret made at start would be another one at every start. */
  requireAll(fields: readonly EnvVariable<unknown>[]): void {
    for (const field of fields) {
      if (!this.has(field)) this.addIssue(field, "must be set on Deno Deploy");
    }
  }

  addIssue(field: EnvVariable<unknown>, problem: string): void {
    this.#issues.push({ name: field.name, purpose: field.purpose, message: problem });
  }

  throwIssues(): void {
    if (this.#issues.length > 0) throw new ConfigError(this.#issues);
  }
}

function isEnvSet(env: Env, name: string): boolean {
  return (env[name] ?? "").trim() !== "";
}

/** The address on this machine, for links, when no `PUBLIC_URL` says otherwise. */
export function localUrl({ host }: Pick<Config, "host">, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
