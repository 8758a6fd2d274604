import { allVariables, type EnvVariable } from "../lib/server/config/variables.ts";

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->
<!-- Made by "deno task docs" from lib/server/config/variables.ts: change it there. -->

# Configuration

The service is configured by environment variables, and needs none of them: on a fresh machine it
serves on \`http://127.0.0.1:8000\`, stores its data in \`.data\`, and uses the demo model.
An empty variable counts as unset. At the start the service reports all problems together; errors name
variables, never their values.
`;

const PROVIDERS_TEXT = `
## Private hosts for tools

Tools reach only public \`https://\` hosts. With \`EGRESS_ALLOW\` the operator allows more: plain
\`http://\`, and hosts on private networks. An agent's own \`allowedDomains\` still apply.

An entry without a tenant opens its host to **every** tenant: anyone who may edit an agent of any tenant
can then make its tools call that host. If an installation has several tenants, bind each entry to one:

\`\`\`sh
EGRESS_ALLOW=0197f0a2-5b7c-7c3e-9a51-2f6d1c0e8b44=crm.internal:8080,0197f0a2-5b7c-7c3e-9a51-2f6d1c0e8b44=10.1.0.0/16
\`\`\`

The tenant's id is on its page under Operator, Tenants. At the start the log warns of entries that apply
to several tenants and of unknown ids. For a private address and for a name that does not resolve, a
tool gets the same error after the same time; only the log has the reason.

The Tools page of an agent warns of hosts that are missing here, and shows operators the whole line to set.

## Model providers

The service has three connections to model providers: \`vendor_a\`, \`vendor_b\` and \`vendor_c\`. If a
connection has a credential here, the dashboard shows it read-only; set up the others there. If a
provider needs no credential, set any text.

Certificates of providers, tools, MCP servers and the pages that the embed doctor reads are always
verified: neither \`NODE_TLS_REJECT_UNAUTHORIZED=0\` nor \`--unsafely-ignore-certificate-errors\`
turns that off. To trust your own certificate authority, set \`NODE_EXTRA_CA_CERTS\` to its PEM file; it
is added to the built-in list. With \`DENO_TLS_CA_STORE=system\` the authorities that the machine trusts
replace that list. \`DENO_CERT\` has an effect on providers only.
`;

const DATA_TEXT = `
## The data folder

\`DATA_DIR\` is created with mode 0700, and every file in it with 0600:

| file | content |
|---|---|
| \`kv.sqlite3\` | the store, unless \`KV_PATH\` or \`KV_URL\` is set |
| \`secrets.json\` | the secrets that are not set in the environment: back it up with the store; without it no API key is valid and no stored credential can be read |
| \`lock\` | held by the process that owns the folder; released when that process ends |
| \`kv.sqlite3.lock\` | next to the store's file: held by the process that owns the file, whatever links lead to it |
| \`control.sock\` | accepts commands of \`deno task keys\`, \`deno task secrets\` and \`deno task users\` while the service runs |

Do not remove or replace the store's file while the service runs: it would continue to write to the old
file, and lose everything when it ends. Within 10 seconds it logs an error, and \`/readyz\` returns 503. A
damaged store is reported at the start: restore it from a backup, together with \`secrets.json\`.

## Signing in to the dashboard

- **Locked out.** \`deno task users reset EMAIL\` prints a one-time link for a new password, valid for an
  hour, whether or not the service is running; \`deno task users list\` lists the users. Run it with the
  service's \`DATA_DIR\` (or \`KV_URL\`).
- **Second factor lost.** \`deno task users reset-factors EMAIL\` removes the factors of a user whom no
  owner can help; see [two-factor.md](two-factor.md).
- **Limits.** An address (an IPv6 /64) may enter 30 wrong passwords in 15 minutes, and five for one
  account. Behind a proxy set \`TRUSTED_PROXY_HOPS\`: otherwise all users share the proxy's address, and
  one attacker can lock out every browser that has not signed in before.
- **Expiry.** A sign-in expires after 12 hours without use, and 7 days after the password was entered.
- **Logs.** Sign-ins, sign-outs, failures, lockouts and rejected requests are in the audit log (events
  without an account: in the installation's, which operators see) and, as \`sign-in: …\` and
  \`access: …\`, in the log. Repeated events share one entry per minute. Both contain addresses of
  people; the audit log for up to 400 days.

## Under a supervisor

- **Command.** Let systemd, Docker or another supervisor run \`deno task start\`, not \`npx\`: that does
  not forward SIGTERM, so that the service would be killed without notice.
- **Permissions.** The service may use the network and its environment, read its own folder, write the
  data folder and the store, and run \`_fresh/worker.sh\`, which starts the processes that parse
  documents. With \`WORKERS\` above 1 it also runs \`_fresh/server_<id>.sh\`, which starts server
  processes with the same permissions, without this one; the id follows from the paths. The paths come from the variables above at each start; a path with a comma is rejected.
  Missing packages and builds are installed first; if nothing is missing, the folder may be
  read-only: run \`deno task build\` when you create an image, with the same \`WORKERS\`, \`DATA_DIR\`,
  \`KV_PATH\` and \`CATALOGUE\` if \`WORKERS\` is set.
- **Memory.** The service starts up to four processes (each server process of \`WORKERS\` does) that parse documents (at most 768 MiB each,
  usually 60 MB). They end after a minute without work. They need \`/bin/sh\` and \`/usr/bin/env\`.
- **Stopping.** SIGTERM, SIGINT and SIGHUP stop it. \`/readyz\` is 503 from then on, and with
  \`DRAIN_SECONDS\` it serves on for that time before it closes its port. Then it rejects new runs and gives
  active ones 3 seconds to finish, less if there are hundreds. The rest are stopped and charged, and their
  clients are notified. That takes at most 9 seconds (4.5 on Deno Deploy), so allow 10 before a SIGKILL, as
  Docker does, in addition to \`DRAIN_SECONDS\`. The exit code is 0, or 1 if runs remain unsettled, which the log reports; the next process
  settles those.
- **A proxy in front.** Limits and lockouts count a client by its address, so set
  \`TRUSTED_PROXY_HOPS\` to the number of proxies that you run in front of the service, each of which
  adds an entry to \`X-Forwarded-For\`. At 0 all visitors behind the proxy count as one address; with a
  number that is too large, clients can forge their address. At the start the log names the source in
  use, and with an https \`PUBLIC_URL\` it warns of the first \`X-Forwarded-For\` at 0.
- **Open files.** Each stream needs two connections, one to its reader and one to its provider, so the
  limit of open files (\`ulimit -n\`, systemd's \`LimitNOFILE\`) must exceed twice the streams; below 4,096 the
  log warns at the start. Without free descriptors, streams continue, idle connections are closed, and
  the service listens again within seconds. The service does not limit idle connections: if it is
  public, put a proxy in front that limits them for each address.
- **Log.** Lines go to standard error. Lines that cannot be written, because the disk is full or the
  pipe is closed, are dropped, and the next line reports how many. Only an open pipe without a reader
  blocks the service. On Deno Deploy, and with \`OTEL_DENO=true\`, the log uses \`console\`, so that
  OpenTelemetry gets each record with its severity.

## Encryption at rest

The store encrypts conversations under \`ENCRYPTION_KEY\`: messages, answers, arguments and results of
tools, in transcripts and in the logs of runs, the input of active runs, and what agents remember
about visitors. It also encrypts provider credentials, tool secrets and stored responses to repeated
requests. A copy of the store reveals none of them without \`secrets.json\` and the environment.

Not encrypted are: ids, times, counts, costs and error codes; the origin of a conversation;
keyed hashes of the words in conversations, which find messages without revealing them;
configuration, such as agents with their system prompts and plans; the documents of knowledge bases and
their index, because they are searched; the audit log; names and e-mail addresses of dashboard
users. If those matter, put the store on an encrypted disk.

To change the key while the service runs as one process:

1. Set \`ENCRYPTION_KEY=<new>,<old>\` and restart. If none was set, the old key is
   \`encryptionKey\` in \`secrets.json\`.
2. Run \`deno task secrets reencrypt\`, with the same environment. It works whether or not the
   service is running, can be interrupted and repeated, and prints what it has changed. Exit code 0:
   everything is under the new key.
3. Set \`ENCRYPTION_KEY=<new>\` and restart.

If several processes share a store, all must be able to decrypt before one of them encrypts: first
restart each with \`<old>,<new>\`, then each with \`<new>,<old>\`, then run \`reencrypt\`, then restart
each with \`<new>\`. A process does not start without a key that stored values may need, and names that key.

- **Replaced values** remain in unused parts of the store's file until they are overwritten. Stop the
  service and run \`deno task compact\`, which rewrites the file. Do this after an update from a version
  that did not encrypt conversations, when \`reencrypt\` is done.
- **Backups** stay readable with the keys of their time. Store \`secrets.json\` and old keys separately
  from the backups, for as long as you keep the backups.
- **A lost key** cannot be replaced: values encrypted with it stay unreadable. \`deno task secrets reencrypt
  --forget\` lets the service start without it. Conversations then show which messages cannot be
  decrypted.

## Deno Deploy

On Deno Deploy there is no persistent disk and no fixed address: \`API_KEY_HMAC_SECRET\`, \`ENCRYPTION_KEY\`,
\`SETUP_TOKEN\` and \`PUBLIC_URL\` are required, and the store is the KV database assigned to the
app. If \`DENO_DEPLOY\` is set, the service assumes Deno Deploy. [operations.md](operations.md#deno-deploy)
has the steps and limitations.
`;

/** The text of `docs/configuration.md`, from the definitions that parse the variables. */
export function renderConfiguration(): string {
  const fields = allVariables();
  const isConnection = (field: EnvVariable) => field.name.startsWith("VENDOR_");
  return INTRODUCTION + table(fields.filter((field) => !isConnection(field))) +
    PROVIDERS_TEXT + table(fields.filter(isConnection)) + DATA_TEXT;
}

function table(fields: ReturnType<typeof allVariables>): string {
  const rows = fields.map((field) => {
    const unset = field.unset ?? `\`${field.schema.parse(undefined)}\``;
    const purpose = field.secret ? `${field.purpose} (secret)` : field.purpose;
    return row([`\`${field.name}\``, purpose, field.type, unset, `\`${field.example}\``]);
  });
  return "\n" + row(["variable", "purpose", "type", "default", "example"]) +
    "|---|---|---|---|---|\n" + rows.join("");
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}
