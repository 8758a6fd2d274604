import {
  base64Key,
  choice,
  egressTarget,
  httpUrl,
  integer,
  list,
  onOff,
  type Parse,
  secretText,
  text,
} from "./value_parsers.ts";

/** One environment variable: what reads it is also what documents it. */
export interface EnvVariable<T> {
  readonly name: string;
  readonly purpose: string;
  /** The kind of value, in words. */
  readonly type: string;
  /** What happens while it is unset, in words; a `fallback` speaks for itself. */
  readonly unset?: string;
  readonly example: string;
  readonly secret?: true;
  readonly parse: Parse<T>;
}

/** A field that has a value even when it is unset. */
export interface DefaultedVariable<T> extends EnvVariable<T> {
  readonly fallback: T;
}

export const PROTOCOLS = ["openai", "anthropic", "google"] as const;
export type Protocol = typeof PROTOCOLS[number];

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Where each protocol's own vendor answers. */
export const DEFAULT_BASE_URLS: Readonly<Record<Protocol, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Every variable but the vendor slots', in the order they are documented. */
export const VARIABLES = {
  port: variable({
    name: "PORT",
    purpose: "port to listen on; 0 picks a free one",
    type: "number, 0-65535",
    fallback: 8000,
    example: "8080",
    parse: integer(0, 65_535),
  }),
  host: variable({
    name: "HOST",
    purpose: "address to listen on",
    type: "address",
    unset: "`127.0.0.1`; `0.0.0.0` when `PUBLIC_URL` is set",
    example: "0.0.0.0",
    parse: text,
  }),
  publicUrl: variable({
    name: "PUBLIC_URL",
    purpose:
      "address under which people reach the service, for absolute links and script tags; an " +
      "`https://` one also turns on HSTS for its host and subdomains",
    type: "URL without a path",
    unset: "the listening address",
    example: "https://chat.example.com",
    parse: httpUrl({ originOnly: true }),
  }),
  cdnUrl: variable({
    name: "CDN_URL",
    purpose: "address that serves the widget bundle, when it is not the service itself",
    type: "URL",
    unset: "`PUBLIC_URL`",
    example: "https://cdn.example.com",
    parse: httpUrl(),
  }),
  dataDir: variable({
    name: "DATA_DIR",
    purpose: "folder of the store, the generated secrets, the lock and the control socket",
    type: "path",
    fallback: ".data",
    example: "/var/lib/agent-chat",
    parse: text,
  }),
  kvPath: variable({
    name: "KV_PATH",
    purpose: "file of the store",
    type: "path",
    unset: "`kv.sqlite3` in `DATA_DIR`",
    example: "/var/lib/agent-chat/kv.sqlite3",
    parse: text,
  }),
  kvUrl: variable({
    name: "KV_URL",
    purpose: "address of a KV server to use instead of a file, whose access token goes into " +
      "`DENO_KV_ACCESS_TOKEN`; several processes may share it, and must then be given the same " +
      "secrets",
    type: "URL",
    unset: "the file at `KV_PATH`",
    example: "http://kv.internal:4512",
    parse: httpUrl(),
  }),
  hmacSecrets: variable({
    name: "API_KEY_HMAC_SECRET",
    purpose: "secrets under which API keys are hashed: the first signs, all verify, so that a " +
      "new one can be put in front",
    type: "comma list, each at least 32 characters",
    unset: "made at the first start and kept in `DATA_DIR`; required on Deno Deploy",
    example: "<new secret>,<old secret>",
    secret: true,
    parse: list(secretText(32)),
  }),
  encryptionKeys: variable({
    name: "ENCRYPTION_KEY",
    purpose: "keys that encrypt conversations, vendor credentials, tool secrets and " +
      "stored answers: the first encrypts, all decrypt, so that a new one can be put in front; " +
      "`deno task secrets reencrypt` then moves everything to it",
    type: "comma list, each the base64 of 32 random bytes",
    unset: "made at the first start and kept in `DATA_DIR`; required on Deno Deploy",
    example: "<output of: openssl rand -base64 32>",
    secret: true,
    parse: list(base64Key(32)),
  }),
  setupToken: variable({
    name: "SETUP_TOKEN",
    purpose: "token that the first visit to an empty dashboard must present",
    type: "at least 16 characters",
    unset: "a one-time token is printed at start-up; required on Deno Deploy",
    example: "<output of: openssl rand -hex 16>",
    secret: true,
    parse: secretText(16),
  }),
  demo: variable({
    name: "DEMO",
    purpose: "the public demo page; `auto` shows it while no vendor credential is configured",
    type: "`auto`, `on` or `off`",
    fallback: "auto",
    example: "off",
    parse: choice("auto", "on", "off"),
  }),
  demoModel: variable({
    name: "DEMO_MODEL",
    purpose: "the embedded demo model, which needs no credential and costs nothing",
    type: "`on` or `off`",
    fallback: true,
    unset: "`on`",
    example: "off",
    parse: onOff,
  }),
  trustedProxyHops: variable({
    name: "TRUSTED_PROXY_HOPS",
    purpose: "number of own proxies in front: the caller's address is taken that many entries " +
      "from the right of `X-Forwarded-For`",
    type: "number, 0-16",
    fallback: 0,
    example: "1",
    parse: integer(0, 16),
  }),
  egressAllow: variable({
    name: "EGRESS_ALLOW",
    purpose: "hosts and networks that tools may reach although they are private or plain http; " +
      "an entry after `<tenant id>=` applies to that tenant only, any other to all tenants",
    type: "comma list of `host`, `host:port` or network, each optionally after `<tenant id>=`",
    fallback: [],
    unset: "none",
    example: "crm.internal:8080,10.1.0.0/16",
    parse: list(egressTarget),
  }),
  unwatchedRunMs: variable({
    name: "UNWATCHED_RUN_MS",
    purpose: "how long a run goes on with nobody following it, in milliseconds",
    type: "number, 0-3600000",
    fallback: 30_000,
    example: "60000",
    parse: integer(0, 3_600_000),
  }),
  logLevel: variable({
    name: "LOG_LEVEL",
    purpose: "least important log lines that are written",
    type: "`debug`, `info`, `warn` or `error`",
    fallback: "info",
    example: "debug",
    parse: choice(...LOG_LEVELS),
  }),
  catalogueFile: variable({
    name: "CATALOGUE",
    purpose: "JSON file of models to add to the catalogue at start; edits made in the dashboard " +
      "are never overwritten",
    type: "path",
    unset: "nothing is added",
    example: "catalogue.json",
    parse: text,
  }),
} as const;

export type ConnectionLetter = "A" | "B" | "C";

/** The protocol a slot speaks unless it is told another. */
export const DEFAULT_PROTOCOLS: Readonly<Record<ConnectionLetter, Protocol>> = {
  A: "openai",
  B: "anthropic",
  C: "google",
};

/** The variables of one vendor slot. */
export function connectionVariables(letter: ConnectionLetter) {
  const slot = `vendor slot ${letter}`;
  return {
    protocol: variable({
      name: `VENDOR_${letter}_PROTOCOL`,
      purpose: `wire protocol of ${slot}`,
      type: PROTOCOLS.map((name) => `\`${name}\``).join(", "),
      fallback: DEFAULT_PROTOCOLS[letter],
      example: "openai",
      parse: choice(...PROTOCOLS),
    }),
    baseUrl: variable({
      name: `VENDOR_${letter}_BASE_URL`,
      purpose: `address of ${slot}`,
      type: "URL",
      unset: "the public address of the protocol's vendor",
      example: "http://127.0.0.1:11434/v1",
      parse: httpUrl(),
    }),
    apiKey: variable({
      name: `VENDOR_${letter}_API_KEY`,
      purpose: `credential of ${slot}; turns the slot on`,
      type: "text",
      unset: "the slot is set up in the dashboard",
      example: "<credential>",
      secret: true,
      parse: text,
    }),
    name: variable({
      name: `VENDOR_${letter}_NAME`,
      purpose: `name of ${slot} in the dashboard`,
      type: "text",
      unset: "the slot's own name",
      example: "Our gateway",
      parse: text,
    }),
    embeddingModel: variable({
      name: `VENDOR_${letter}_EMBEDDING_MODEL`,
      purpose:
        `model of ${slot} that compares passages of knowledge bases by their meaning; it must ` +
        "have a price in the catalogue, and of several slots the first that has one is used",
      type: "text; for the protocols `openai` and `google`",
      unset: "knowledge bases are searched by their words alone",
      example: "text-embedding-3-small",
      parse: text,
    }),
  };
}

/** All variables, for the documentation. */
export function allVariables(): (EnvVariable<unknown> & { fallback?: unknown })[] {
  const slots = (["A", "B", "C"] as const).flatMap((letter) =>
    Object.values(connectionVariables(letter))
  );
  return [...Object.values(VARIABLES), ...slots];
}

function variable<T>(definition: EnvVariable<T> & { fallback: NoInfer<T> }): DefaultedVariable<T>;
function variable<T>(definition: EnvVariable<T>): EnvVariable<T>;
function variable<T>(definition: EnvVariable<T>): EnvVariable<T> {
  return definition;
}
