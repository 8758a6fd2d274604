import { assert, assertEquals, assertThrows } from "@std/assert";
import { ConfigError, isDemoEnabled, readConfig } from "./config.ts";
import { allVariables } from "./variables.ts";

const SECRET = "s".repeat(32);
const KEY = "A".repeat(43) + "=";

function issuesOf(env: Record<string, string>): readonly { name: string; message: string }[] {
  return assertThrows(() => readConfig(env), ConfigError).issues;
}

Deno.test("readConfig: an empty environment gives a loopback service with its own store", () => {
  const config = readConfig({});
  assertEquals(config.port, 8000);
  assertEquals(config.host, "127.0.0.1");
  assertEquals(config.dataDir, ".data");
  assertEquals(config.kvPath, ".data/kv.sqlite3");
  assertEquals(config.demo, "auto");
  assertEquals(config.demoModel, true);
  assertEquals(config.trustedProxyHops, 0);
  assertEquals(config.egressAllow, []);
  assertEquals(config.abandonedRunMs, 30_000);
  assertEquals(config.logLevel, "info");
  assertEquals(config.connections, {});
  assertEquals(config.onDenoDeploy, false);
  assertEquals(config.hmacSecrets, undefined);
});

Deno.test("readConfig: the result is frozen, with its lists and connections", () => {
  const config = readConfig({ API_KEY_HMAC_SECRET: SECRET, VENDOR_A_API_KEY: "key" });
  assert(Object.isFrozen(config));
  assert(Object.isFrozen(config.hmacSecrets));
  assert(Object.isFrozen(config.egressAllow));
  assert(Object.isFrozen(config.connections));
  assert(Object.isFrozen(config.connections.vendor_a));
});

Deno.test("readConfig: PUBLIC_URL opens the listening address unless HOST is set", () => {
  const open = readConfig({ PUBLIC_URL: "https://Chat.example.com/" });
  assertEquals(open.publicUrl, "https://chat.example.com");
  assertEquals(open.host, "0.0.0.0");
  const behind = readConfig({ PUBLIC_URL: "https://chat.example.com", HOST: "127.0.0.1" });
  assertEquals(behind.host, "127.0.0.1");
});

Deno.test("readConfig: the store's file follows DATA_DIR unless KV_PATH is set", () => {
  assertEquals(readConfig({ DATA_DIR: "/var/chat/" }).kvPath, "/var/chat/kv.sqlite3");
  assertEquals(readConfig({ DATA_DIR: "/var/chat", KV_PATH: "/fast/kv" }).kvPath, "/fast/kv");
});

Deno.test("readConfig: a blank variable counts as unset", () => {
  assertEquals(readConfig({ PORT: "", KV_URL: "  ", SETUP_TOKEN: "" }).port, 8000);
});

Deno.test("readConfig: reports all issues together, each with its name and purpose", () => {
  const env = {
    PORT: "many",
    PUBLIC_URL: "https://example.com/chat",
    KV_URL: "postgres://db",
    API_KEY_HMAC_SECRET: "short",
    ENCRYPTION_KEY: "not base64!",
    SETUP_TOKEN: "tiny",
    DEMO: "maybe",
    DEMO_MODEL: "yes",
    TRUSTED_PROXY_HOPS: "-1",
    EGRESS_ALLOW: "http://crm.internal",
    LOG_LEVEL: "loud",
    VENDOR_B_PROTOCOL: "telepathy",
  };
  const error = assertThrows(() => readConfig(env), ConfigError);
  const named = new Set(error.issues.map((one) => one.name));
  for (const name of Object.keys(env)) assert(named.has(name), name);
  for (const field of allVariables().filter((one) => named.has(one.name))) {
    assert(error.message.includes(field.name));
    assert(error.message.includes(field.purpose));
  }
});

Deno.test("readConfig: an error never repeats a value", () => {
  const env = {
    PORT: "pasted-secret-1",
    API_KEY_HMAC_SECRET: "pasted-secret-2",
    ENCRYPTION_KEY: "pasted-secret-3",
    SETUP_TOKEN: "pasted-secret-4",
    KV_URL: "https://user:pasted-secret-5@host",
  };
  const error = assertThrows(() => readConfig(env), ConfigError);
  assert(!error.message.includes("pasted-secret"));
  assertEquals(error.issues.length, 5);
});

Deno.test("readConfig: several HMAC secrets rotate, the first signs", () => {
  const config = readConfig({ API_KEY_HMAC_SECRET: `${"n".repeat(32)}, ${SECRET}` });
  assertEquals(config.hmacSecrets, ["n".repeat(32), SECRET]);
  assertEquals(issuesOf({ API_KEY_HMAC_SECRET: `${SECRET},` })[0]?.name, "API_KEY_HMAC_SECRET");
});

Deno.test("readConfig: ENCRYPTION_KEY is a list of keys, each exactly 32 bytes of base64", () => {
  const other = `${"B".repeat(42)}A=`;
  assertEquals(readConfig({ ENCRYPTION_KEY: KEY }).encryptionKeys, [KEY]);
  assertEquals(readConfig({ ENCRYPTION_KEY: `${other}, ${KEY}` }).encryptionKeys, [other, KEY]);
  for (const wrong of ["AAAA", `${KEY},`, `${KEY},AAAA`, `${KEY}${other}`]) {
    assertEquals(issuesOf({ ENCRYPTION_KEY: wrong })[0]?.name, "ENCRYPTION_KEY", wrong);
  }
});

Deno.test("readConfig: a connection with a credential defaults to its own protocol and provider", () => {
  const { connections } = readConfig({
    VENDOR_A_API_KEY: "a",
    VENDOR_B_API_KEY: "b",
    VENDOR_C_API_KEY: "c",
    VENDOR_C_PROTOCOL: "openai",
    VENDOR_C_BASE_URL: "http://127.0.0.1:11434/v1/",
    VENDOR_C_NAME: "Gateway",
  });
  assertEquals(connections.vendor_a?.protocol, "openai");
  assertEquals(connections.vendor_a?.baseUrl, "https://api.openai.com/v1");
  assertEquals(connections.vendor_b?.protocol, "anthropic");
  assertEquals(connections.vendor_c, {
    protocol: "openai",
    baseUrl: "http://127.0.0.1:11434/v1",
    apiKey: "c",
    name: "Gateway",
  });
});

Deno.test("readConfig: a base URL follows the configured protocol", () => {
  const { connections } = readConfig({ VENDOR_A_API_KEY: "a", VENDOR_A_PROTOCOL: "google" });
  assertEquals(connections.vendor_a?.baseUrl, "https://generativelanguage.googleapis.com/v1beta");
});

Deno.test("readConfig: a connection may have several keys, and a list that cannot be read is an issue", () => {
  for (const keys of ["a,b", '["a",{"key":"b","weight":3}]']) {
    assertEquals(readConfig({ VENDOR_A_API_KEY: keys }).connections.vendor_a?.apiKey, keys);
  }
  for (const keys of ["a,,b", '["secret-key"', '[{"key":"secret-key","weight":-1}]']) {
    const issues = issuesOf({ VENDOR_A_API_KEY: keys, VENDOR_A_NAME: "Gateway" });
    assertEquals(issues.map(({ name }) => name), ["VENDOR_A_API_KEY"]);
    assertEquals(JSON.stringify(issues).includes("secret-key"), false);
  }
});

Deno.test("readConfig: half a connection is an error", () => {
  const [issue] = issuesOf({ VENDOR_A_BASE_URL: "http://127.0.0.1:1" });
  assertEquals(issue?.name, "VENDOR_A_API_KEY");
  assertEquals(issue?.message, "is needed because VENDOR_A_BASE_URL is set");
});

Deno.test("readConfig: a connection has an embedding model only if its protocol supports one", () => {
  const slot = { VENDOR_A_API_KEY: "a", VENDOR_A_EMBEDDING_MODEL: "emb" };
  assertEquals(readConfig(slot).connections.vendor_a?.embeddingModel, "emb");
  const [issue] = issuesOf({ ...slot, VENDOR_A_PROTOCOL: "anthropic" });
  assertEquals(issue?.name, "VENDOR_A_EMBEDDING_MODEL");
  assertEquals(issue?.message, "needs the protocol openai or google");
});

Deno.test("readConfig: on Deno Deploy secrets, setup token and address are required", () => {
  const names = issuesOf({ DENO_DEPLOY: "1" }).map((one) => one.name);
  assertEquals(names, ["API_KEY_HMAC_SECRET", "ENCRYPTION_KEY", "SETUP_TOKEN", "PUBLIC_URL"]);
  const config = readConfig({
    DENO_DEPLOY: "1",
    API_KEY_HMAC_SECRET: SECRET,
    ENCRYPTION_KEY: KEY,
    SETUP_TOKEN: "t".repeat(16),
    PUBLIC_URL: "https://chat.example.com",
  });
  assertEquals(config.onDenoDeploy, true);
});

Deno.test("isDemoEnabled: auto shows the demo until some provider credential is configured", () => {
  assertEquals(isDemoEnabled(readConfig({})), true);
  assertEquals(isDemoEnabled(readConfig({}), { hasCredential: true }), false);
  assertEquals(isDemoEnabled(readConfig({ VENDOR_A_API_KEY: "a" })), false);
  assertEquals(isDemoEnabled(readConfig({ VENDOR_A_API_KEY: "a", DEMO: "on" })), true);
  assertEquals(isDemoEnabled(readConfig({ DEMO: "off" })), false);
});

Deno.test("readConfig: WORKERS is 1 to 64, or leaves one core to the supervisor", () => {
  const workers = (value: string, cpus = 6) =>
    readConfig({ WORKERS: value }, { os: "linux", cpus }).workers;
  assertEquals([workers(""), workers("1"), workers("64")], [1, 1, 64]);
  const auto = [6, 2, 1, 96].map((cpus) => workers("Auto", cpus));
  assertEquals(auto, [5, 1, 1, 64]);
  for (const value of ["0", "65", "-1", "1.5", "many", "1e1x"]) {
    const issues = issuesOf({ WORKERS: value });
    assertEquals(issues.map(({ name }) => name), ["WORKERS"], value);
  }
});

Deno.test("readConfig: more than one worker needs Linux, and is not for Deno Deploy", () => {
  const read = (env: Record<string, string>, os: typeof Deno.build.os) =>
    readConfig(env, { os, cpus: 8 });
  for (const os of ["darwin", "windows", "freebsd"] as const) {
    assertThrows(
      () => read({ WORKERS: "2" }, os),
      ConfigError,
      "WORKERS must be 1: more need Linux",
    );
    assertEquals([read({ WORKERS: "auto" }, os).workers, read({ WORKERS: "1" }, os).workers], [
      1,
      1,
    ]);
  }
  const deploy = { DENO_DEPLOY: "1", WORKERS: "2" };
  assertThrows(() => read(deploy, "linux"), ConfigError, "WORKERS must be 1 on Deno Deploy");
});

Deno.test("readConfig: DRAIN_SECONDS is 0 to 300, and 0 on Deno Deploy", () => {
  assertEquals(readConfig({}).drainSeconds, 0);
  assertEquals(readConfig({ DRAIN_SECONDS: "10" }).drainSeconds, 10);
  for (const value of ["301", "-1", "1.5"]) {
    assertEquals(issuesOf({ DRAIN_SECONDS: value }).map(({ name }) => name), ["DRAIN_SECONDS"]);
  }
  const deploy = issuesOf({ DENO_DEPLOY: "1", DRAIN_SECONDS: "1" });
  assertEquals(deploy[0]?.message, "must be 0 on Deno Deploy, which waits 5 seconds in all");
});

Deno.test("readConfig: SMTP_URL and MAIL_FROM belong together, and their errors repeat no value", () => {
  const [url, from] = ["smtps://user:pasted-secret@mail.example.com", "Chat <chat@example.com>"];
  const { smtpUrl, mailFrom } = readConfig({ SMTP_URL: url, MAIL_FROM: from });
  assertEquals([smtpUrl, mailFrom], [url, from]);
  assertEquals(issuesOf({ SMTP_URL: url })[0]?.name, "MAIL_FROM");
  assertEquals(issuesOf({ MAIL_FROM: from })[0]?.name, "SMTP_URL");
  const wrong = "http://user:pasted-secret@mail.example.com";
  const error = assertThrows(() => readConfig({ SMTP_URL: wrong, MAIL_FROM: "x" }), ConfigError);
  assertEquals(error.issues.map(({ name }) => name), ["SMTP_URL", "MAIL_FROM"]);
  assert(!error.message.includes("pasted-secret"));
});
