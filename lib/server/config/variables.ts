import { LOG_LEVELS } from "../../platform/log.ts";
import { API_KEYS_FORM, parseApiKeys } from "../../schemas/api_keys.ts";
import {
  DEFAULT_PROTOCOLS,
  EMBEDDING_PROTOCOLS,
  PROTOCOLS,
} from "../../schemas/connection_config.ts";
import { httpUrlSchema, originUrlSchema } from "../../schemas/http_url.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import type { EnvVariable } from "./env_variable.ts";
import { MAIL_VARIABLES } from "./mail_variables.ts";
import { OIDC_VARIABLES } from "./oidc_variables.ts";
import * as schemas from "./value_schemas.ts";

export type { EnvVariable } from "./env_variable.ts";

export const MAX_WORKERS = 64;
const MAX_DRAIN_SECONDS = 300;

/** All variables except those of provider connections, in the order of the documentation. */
export const VARIABLES = {
  port: {
    name: "PORT",
    purpose: "port to listen on; 0 picks a free one",
    type: "number, 0-65535",
    example: "8080",
    schema: schemas.integerValue(0, 65_535).default(8000),
  },
  host: {
    name: "HOST",
    purpose: "address to listen on",
    type: "address",
    unset: "`127.0.0.1`; `0.0.0.0` when `PUBLIC_URL` is set",
    example: "0.0.0.0",
    schema: schemas.text.optional(),
  },
  publicUrl: {
    name: "PUBLIC_URL",
    purpose: "public address of the service, for absolute links and script tags; an " +
      "`https://` one also turns on HSTS for its host and subdomains",
    type: "URL without a path",
    unset: "the listening address",
    example: "https://chat.example.com",
    schema: originUrlSchema.optional(),
  },
  workers: {
    name: "WORKERS",
    purpose:
      "number of server processes, so that the service uses several CPU cores; `auto` starts " +
      "one less than there are cores; more than 1 needs Linux",
    type: "`auto` or number, 1-64",
    example: "4",
    schema: schemas.integerOrAuto(1, MAX_WORKERS).default(1),
  },
  cdnUrl: {
    name: "CDN_URL",
    purpose: "address that serves the widget bundle, when it is not the service itself",
    type: "URL",
    unset: "`PUBLIC_URL`",
    example: "https://cdn.example.com",
    schema: httpUrlSchema.optional(),
  },
  dataDir: {
    name: "DATA_DIR",
    purpose: "folder of the store, the generated secrets, the lock and the control socket",
    type: "path",
    example: "/var/lib/agent-chat",
    schema: schemas.text.default(".data"),
  },
  kvPath: {
    name: "KV_PATH",
    purpose: "file of the store",
    type: "path",
    unset: "`kv.sqlite3` in `DATA_DIR`",
    example: "/var/lib/agent-chat/kv.sqlite3",
    schema: schemas.text.optional(),
  },
  kvUrl: {
    name: "KV_URL",
    purpose: "address of a KV server to use instead of a file; its access token goes into " +
      "`DENO_KV_ACCESS_TOKEN`; several processes with the same secrets may share it",
    type: "URL",
    unset: "the file at `KV_PATH`",
    example: "http://kv.internal:4512",
    schema: httpUrlSchema.optional(),
  },
  hmacSecrets: {
    name: "API_KEY_HMAC_SECRET",
    purpose: "secrets for hashing API keys: the first signs, all verify, so that a " +
      "new one can be added in front",
    type: "comma list, each at least 32 characters",
    unset: "generated at the first start and stored in `DATA_DIR`; required on Deno Deploy",
    example: "<new secret>,<old secret>",
    secret: true,
    schema: schemas.listValue(schemas.secretTextValue(32)).optional(),
  },
  encryptionKeys: {
    name: "ENCRYPTION_KEY",
    purpose: "keys that encrypt conversations, provider credentials, tool secrets and " +
      "stored responses: the first encrypts, all decrypt, so that a new one can be added in front; " +
      "`deno task secrets reencrypt` then moves everything to it",
    type: "comma list, each the base64 of 32 random bytes",
    unset: "generated at the first start and stored in `DATA_DIR`; required on Deno Deploy",
    example: "<output of: openssl rand -base64 32>",
    secret: true,
    schema: schemas.listValue(schemas.base64Key(32)).optional(),
  },
  setupToken: {
    name: "SETUP_TOKEN",
    purpose: "token that the first visit to an empty dashboard must present",
    type: "at least 16 characters",
    unset: "a one-time token is printed at start-up; required on Deno Deploy",
    example: "<output of: openssl rand -hex 16>",
    secret: true,
    schema: schemas.secretTextValue(16).optional(),
  },
  metricsToken: {
    name: "METRICS_TOKEN",
    purpose: "token with which Prometheus reads `GET /metrics`, as `Authorization: Bearer`",
    type: "at least 16 characters without spaces",
    unset: "`/metrics` does not exist",
    example: "<output of: openssl rand -hex 16>",
    secret: true,
    schema: schemas.secretTextValue(16).regex(/^\S+$/, "must not contain spaces").optional(),
  },
  ...MAIL_VARIABLES,
  otelContent: {
    name: "OTEL_CONTENT",
    purpose: "whether traces of `OTEL_DENO=true` contain what people, models and tools say",
    type: "`on` or `off`",
    unset: "`off`",
    example: "on",
    schema: schemas.onOff.default(false),
  },
  demo: {
    name: "DEMO",
    purpose: "the public demo page; `auto` shows it while no provider credential is configured",
    type: "`auto`, `on` or `off`",
    example: "off",
    schema: schemas.choiceValue(["auto", "on", "off"]).default("auto"),
  },
  demoModel: {
    name: "DEMO_MODEL",
    purpose: "the built-in demo model, which needs no credential and costs nothing",
    type: "`on` or `off`",
    unset: "`on`",
    example: "off",
    schema: schemas.onOff.default(true),
  },
  trustedProxyHops: {
    name: "TRUSTED_PROXY_HOPS",
    purpose: "number of your own proxies in front of the service: the caller's address is that " +
      "many entries from the right of `X-Forwarded-For`",
    type: "number, 0-16",
    example: "1",
    schema: schemas.integerValue(0, 16).default(0),
  },
  egressAllow: {
    name: "EGRESS_ALLOW",
    purpose: "private or plain http hosts and networks that tools may reach; " +
      "an entry after `<tenant id>=` applies to that tenant only, others to all tenants",
    type: "comma list of `host`, `host:port` or network, each optionally after `<tenant id>=`",
    unset: "none",
    example: "crm.internal:8080,10.1.0.0/16",
    schema: schemas.listValue(schemas.egressTarget).default([]),
  },
  abandonedRunMs: {
    name: "UNWATCHED_RUN_MS",
    purpose: "how long a run continues without a reader, in milliseconds",
    type: "number, 0-3600000",
    example: "60000",
    schema: schemas.integerValue(0, 3_600_000).default(30_000),
  },
  drainSeconds: {
    name: "DRAIN_SECONDS",
    purpose:
      "how long the service accepts requests after a stop signal while `/readyz` is 503, so " +
      "that proxies send new ones to other processes first; for several processes on one store",
    type: "number, 0-300",
    example: "10",
    schema: schemas.integerValue(0, MAX_DRAIN_SECONDS).default(0),
  },
  logLevel: {
    name: "LOG_LEVEL",
    purpose: "minimum log level",
    type: "`debug`, `info`, `warn` or `error`",
    example: "debug",
    schema: schemas.choiceValue(LOG_LEVELS).default("info"),
  },
  backupEveryMs: {
    name: "BACKUP_EVERY",
    purpose: "time between backups that the service makes by itself; needs the store in a file",
    type: "number and unit: `m`, `h` or `d`",
    unset: "no backups",
    example: "6h",
    schema: schemas.durationValue({ minMs: 300_000, maxMs: 31 * 86_400_000 }).optional(),
  },
  backupDir: {
    name: "BACKUP_DIR",
    purpose: "folder of backups",
    type: "path",
    unset: "`backups` in `DATA_DIR`",
    example: "/var/backups/agent-chat",
    schema: schemas.text.optional(),
  },
  backupKeep: {
    name: "BACKUP_KEEP",
    purpose: "how many backups stay; after each one that the service makes, older ones are deleted",
    type: "number, 1-1000",
    example: "28",
    schema: schemas.integerValue(1, 1_000).default(14),
  },
  backupPassphrase: {
    name: "BACKUP_PASSPHRASE",
    purpose:
      "passphrase under which a backup has the installation's secrets, which it needs to be " +
      "restored",
    type: "at least 12 characters",
    unset: "scheduled backups are made without the secrets",
    example: "<output of: openssl rand -base64 24>",
    secret: true,
    schema: schemas.secretTextValue(12).optional(),
  },
  catalogueFile: {
    name: "CATALOGUE",
    purpose:
      "JSON file of models to add to the catalogue at start; it never overwrites edits made " +
      "in the dashboard",
    type: "path",
    unset: "nothing is added",
    example: "catalogue.json",
    schema: schemas.text.optional(),
  },
} as const satisfies Record<string, EnvVariable>;

export function connectionVariables(id: ProviderId) {
  const letter = id.slice(-1).toUpperCase();
  const slot = `provider connection ${letter}`;
  return {
    protocol: {
      name: `VENDOR_${letter}_PROTOCOL`,
      purpose: `wire protocol of ${slot}`,
      type: PROTOCOLS.map((name) => `\`${name}\``).join(", "),
      example: "openai",
      schema: schemas.choiceValue(PROTOCOLS).default(DEFAULT_PROTOCOLS[id]),
    },
    baseUrl: {
      name: `VENDOR_${letter}_BASE_URL`,
      purpose: `address of ${slot}`,
      type: "URL",
      unset: "the public address of the protocol's provider",
      example: "http://127.0.0.1:11434/v1",
      schema: httpUrlSchema.optional(),
    },
    apiKey: {
      name: `VENDOR_${letter}_API_KEY`,
      purpose:
        `credential of ${slot}; turns the connection on. Several share its conversations, and ` +
        "one that the provider rejects or limits rests meanwhile",
      type: 'text, comma list, or JSON list such as `["<key>", {"key": "<key>", "weight": 3}]`',
      unset: "the connection is set up in the dashboard",
      example: "<credential>",
      secret: true,
      schema: schemas.text.refine((text) => parseApiKeys(text) !== undefined, API_KEYS_FORM)
        .optional(),
    },
    name: {
      name: `VENDOR_${letter}_NAME`,
      purpose: `name of ${slot} in the dashboard`,
      type: "text",
      unset: "the connection's own name",
      example: "Our gateway",
      schema: schemas.text.optional(),
    },
    embeddingModel: {
      name: `VENDOR_${letter}_EMBEDDING_MODEL`,
      purpose:
        `model of ${slot} that embeds passages of knowledge bases for semantic search; it must ` +
        "have a price in the catalogue; of several connections, the first with a model is used",
      type: `text; for the protocols ${
        EMBEDDING_PROTOCOLS.map((name) => `\`${name}\``).join(" and ")
      }`,
      unset: "knowledge bases are searched by words only",
      example: "text-embedding-3-small",
      schema: schemas.text.optional(),
    },
  } as const satisfies Record<string, EnvVariable>;
}

export function allVariables(): EnvVariable[] {
  return [VARIABLES, OIDC_VARIABLES, ...PROVIDER_IDS.map(connectionVariables)].flatMap(
    Object.values<EnvVariable>,
  );
}
