import { type Vendor, VENDORS } from "./wire/vendors.ts";
import {
  type DefaultedField,
  type Field,
  FIELDS,
  type LogLevel,
  type Protocol,
  PUBLIC_BASE_URLS,
  slotFields,
  type SlotLetter,
} from "./config_fields.ts";

export { PROTOCOLS } from "./config_fields.ts";
export type { LogLevel, Protocol } from "./config_fields.ts";

/** A vendor slot that the environment sets up. */
export interface VendorConfig {
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
  readonly vendors: Readonly<Partial<Record<Vendor, VendorConfig>>>;
  readonly onDeploy: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What is wrong with one variable. */
export interface ConfigProblem {
  name: string;
  purpose: string;
  problem: string;
}

/** Everything wrong with the environment at once; no variable's value is ever in the message. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((one) => `  ${one.name} ${one.problem} (${one.purpose})`);
    super(`the environment is not usable:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

/** Reads the configuration. Throws `ConfigError` with every problem; a blank counts as unset. */
export function readConfig(env: Env): Config {
  const reader = new EnvReader(env);
  // Not DENO_DEPLOYMENT_ID: Fresh asks for that one in containers too, as the name of the build.
  const onDeploy = isSet(env, "DENO_DEPLOY");
  const publicUrl = reader.optional(FIELDS.publicUrl);
  const dataDir = reader.defaulted(FIELDS.dataDir);
  const config: Config = {
    port: reader.defaulted(FIELDS.port),
    host: reader.optional(FIELDS.host) ?? (publicUrl === undefined ? "127.0.0.1" : "0.0.0.0"),
    publicUrl,
    cdnUrl: reader.optional(FIELDS.cdnUrl),
    dataDir,
    kvPath: reader.optional(FIELDS.kvPath) ?? `${dataDir.replace(/\/+$/, "")}/kv.sqlite3`,
    kvUrl: reader.optional(FIELDS.kvUrl),
    hmacSecrets: reader.optional(FIELDS.hmacSecrets),
    encryptionKeys: reader.optional(FIELDS.encryptionKeys),
    setupToken: reader.optional(FIELDS.setupToken),
    demo: reader.defaulted(FIELDS.demo),
    demoModel: reader.defaulted(FIELDS.demoModel),
    trustedProxyHops: reader.defaulted(FIELDS.trustedProxyHops),
    egressAllow: Object.freeze(reader.defaulted(FIELDS.egressAllow)),
    unwatchedRunMs: reader.defaulted(FIELDS.unwatchedRunMs),
    logLevel: reader.defaulted(FIELDS.logLevel),
    catalogueFile: reader.optional(FIELDS.catalogueFile),
    vendors: readVendors(reader),
    onDeploy,
  };
  if (onDeploy) {
    // No disk to keep secrets on, no terminal to print a token to, no address of our own to link to.
    const { hmacSecrets, encryptionKeys, setupToken, publicUrl } = FIELDS;
    reader.require([hmacSecrets, encryptionKeys, setupToken, publicUrl]);
  }
  reader.throwProblems();
  if (config.hmacSecrets) Object.freeze(config.hmacSecrets);
  if (config.encryptionKeys) Object.freeze(config.encryptionKeys);
  return Object.freeze(config);
}

/** Whether `/demo` is offered; `hasCredential` says of slots set up in the dashboard. */
export function demoOn(config: Config, options: { hasCredential?: boolean } = {}): boolean {
  if (config.demo !== "auto") return config.demo === "on";
  return Object.keys(config.vendors).length === 0 && options.hasCredential !== true;
}

function readVendors(reader: EnvReader): Config["vendors"] {
  const vendors: Partial<Record<Vendor, VendorConfig>> = {};
  for (const vendor of VENDORS) {
    const slot = readSlot(reader, vendor.slice(-1).toUpperCase() as SlotLetter);
    if (slot) vendors[vendor] = Object.freeze(slot);
  }
  return Object.freeze(vendors);
}

function readSlot(reader: EnvReader, letter: SlotLetter): VendorConfig | undefined {
  const fields = slotFields(letter);
  const apiKey = reader.optional(fields.apiKey);
  const others = [fields.protocol, fields.baseUrl, fields.name, fields.embeddingModel];
  const given = others.find((field) => reader.has(field));
  const protocol = reader.defaulted(fields.protocol);
  const baseUrl = reader.optional(fields.baseUrl) ?? PUBLIC_BASE_URLS[protocol];
  const name = reader.optional(fields.name);
  const embeddingModel = reader.optional(fields.embeddingModel);
  if (embeddingModel !== undefined && protocol === "anthropic") {
    reader.report(fields.embeddingModel, "needs the protocol openai or google");
  }
  const embedding = embeddingModel === undefined ? {} : { embeddingModel };
  if (apiKey !== undefined) return { protocol, baseUrl, apiKey, name, ...embedding };
  // Half a slot would be ignored in silence; a server that needs no credential takes any.
  if (given) reader.report(fields.apiKey, `is needed because ${given.name} is set`);
  return undefined;
}

class EnvReader {
  #env: Env;
  #problems: ConfigProblem[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  has(field: Field<unknown>): boolean {
    return isSet(this.#env, field.name);
  }

  optional<T>(field: Field<T>): T | undefined {
    if (!this.has(field)) return undefined;
    const parsed = field.parse(this.#env[field.name]!.trim());
    if ("value" in parsed) return parsed.value;
    this.report(field, parsed.problem);
    return undefined;
  }

  defaulted<T>(field: DefaultedField<T>): T {
    return this.optional(field) ?? field.fallback;
  }

  /** Without a lasting disk, a secret made at start would be another one at every start. */
  require(fields: readonly Field<unknown>[]): void {
    for (const field of fields) {
      if (!this.has(field)) this.report(field, "must be set on Deno Deploy");
    }
  }

  report(field: Field<unknown>, problem: string): void {
    this.#problems.push({ name: field.name, purpose: field.purpose, problem });
  }

  throwProblems(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}

function isSet(env: Env, name: string): boolean {
  return (env[name] ?? "").trim() !== "";
}
