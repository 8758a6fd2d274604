import { allVariables, type EnvVariable } from "../lib/server/config/variables.ts";

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->
<!-- Made by "deno task docs" from lib/server/config/variables.ts: change it there. -->

# Configuration

The service is configured by environment variables, and needs none of them: on a fresh machine it
serves on \`http://127.0.0.1:8000\`, keeps its data in \`.data\`, and answers with the demo model.
A variable that is empty counts as unset. Every problem is reported at once when the service
starts; an error names variables, never their values.
`;

const VENDORS_TEXT = `
## Private hosts for tools

Tools reach public \`https://\` hosts only. \`EGRESS_ALLOW\` is the operator's way to open more: plain
\`http://\`, and hosts on private networks. An agent's own \`allowedDomains\` apply all the same.

An entry without a tenant opens its host to **every** tenant: whoever may edit an agent of any tenant
can then have its tools call that host. Where an installation has several tenants, bind each entry:

\`\`\`sh
EGRESS_ALLOW=0197f0a2-5b7c-7c3e-9a51-2f6d1c0e8b44=crm.internal:8080,0197f0a2-5b7c-7c3e-9a51-2f6d1c0e8b44=10.1.0.0/16
\`\`\`

The tenant's id is on its page under Operator, Tenants. The log warns at start of entries that apply
to several tenants and of ids that no tenant has. A tool gets the same error, after the same
time, for a host with a private address and for a name that does not resolve; only the log says which.

## Model vendors

\`vendor_a\`, \`vendor_b\` and \`vendor_c\` are slots. A slot with a credential here is shown
read-only in the dashboard; any other slot can be set up there. A server that needs no credential
takes any text as one.

Certificates are always verified, those of vendors as well as those of tools, MCP servers and the
pages that the embed doctor reads: neither \`NODE_TLS_REJECT_UNAUTHORIZED=0\` nor
\`--unsafely-ignore-certificate-errors\` turns that off. To trust a certificate authority of your
own, set \`NODE_EXTRA_CA_CERTS\` to its PEM file; it is added to the built-in list. With
\`DENO_TLS_CA_STORE=system\` the authorities that the machine trusts replace that list.
\`DENO_CERT\` has no effect here.
`;

const DATA_TEXT = `
## The data folder

\`DATA_DIR\` is made with mode 0700, and every file in it with 0600:

| file | what |
|---|---|
| \`kv.sqlite3\` | the store, unless \`KV_PATH\` or \`KV_URL\` say otherwise |
| \`secrets.json\` | the secrets that the environment does not give: back it up with the store, without it no API key is valid and no stored credential can be read |
| \`lock\` | held by the one process that owns the folder; freed however that process ends |
| \`kv.sqlite3.lock\` | beside the store, wherever \`KV_PATH\` puts it: held by the one process that owns the file, whatever names and links lead to it |
| \`control.sock\` | takes \`deno task keys\`, \`deno task secrets\` and \`deno task users\` while the service runs |

Nothing may remove or replace the store's file while the service runs: it would go on in a file that
is gone with the process. Within 10 seconds it says so in its log, and \`/readyz\` answers 503. A store
that is damaged is told at the start: restore it from a backup, together with \`secrets.json\`.

## Signing in to the dashboard

- **Locked out.** \`deno task users reset EMAIL\` prints a one-time link to a new password, valid for an
  hour, whether or not the service runs; \`deno task users list\` shows who there is. Run it where
  \`DATA_DIR\` (or \`KV_URL\`) is the service's.
- **Limits.** An address (an IPv6 /64) has 30 wrong passwords in 15 minutes, an account five from one
  address. Behind a proxy set \`TRUSTED_PROXY_HOPS\`: without it all people share the proxy's address,
  and one attacker can lock out every browser that has not signed in before.
- **Ends.** A sign-in ends after 12 hours without use, and 7 days after the password was given.
- **Record.** Sign-ins, sign-outs, failures, lockouts and refusals are in the audit log (what belongs to
  no account: in the installation's, which operators see) and, as \`sign-in: …\` and \`access: …\`, in
  the log. Repeated ones are counted in one entry a minute. Both hold addresses of people, for up to 400
  days in the audit log.

## Under a supervisor

- **Command.** Let systemd, Docker or whatever supervises it run \`deno task start\`, not \`npx\`, which
  does not pass SIGTERM on: the service would be killed without being told.
- **Permissions.** The service may use the network and its environment, read its own folder, write the
  data folder and the store, and run \`_fresh/worker.sh\`, which starts the processes that parse
  documents. They are derived from the variables above at each start; a path with a comma is rejected.
  Missing packages and builds are installed first; if nothing is missing, the folder may be
  read-only: run \`deno task build\` when you make an image.
- **Memory.** Beside the service there are up to four processes that parse documents (at most 768 MiB
  each, 60 MB usually), and none once there has been nothing to parse for a minute. They need
  \`/bin/sh\` and \`/usr/bin/env\`.
- **Stopping.** SIGTERM, SIGINT and SIGHUP end it: it begins no run any more and gives those under way
  3 seconds to end by themselves, less when there are hundreds. The rest are interrupted, charged and
  told so. That takes at most 9 seconds (4.5 on Deno Deploy), so give it 10 before a SIGKILL, as Docker
  does. The exit code is 0, or 1 when runs were left unsettled, which the log tells; the next process
  settles those.
- **A proxy in front.** Limits and lockouts count a client by its address, so set
  \`TRUSTED_PROXY_HOPS\` to the number of proxies that you run in front of the service, each of which
  adds an entry to \`X-Forwarded-For\`. At 0 all visitors behind the proxy count as one address; with a
  larger number than there are, clients can forge theirs. The log at start names the source in use,
  and with an https \`PUBLIC_URL\` the first \`X-Forwarded-For\` that arrives at 0 is warned of.
- **Open files.** Each stream is two connections, one to its reader and one to its vendor, so the limit
  of open files (\`ulimit -n\`, systemd's \`LimitNOFILE\`) must exceed twice the streams; below 4,096 the
  log warns at the start. When none is left, streams go on, connections at rest are closed, and the
  service listens again within seconds. The service does not bound idle connections: where strangers
  reach it, put a proxy in front that does, for each address.
- **Log.** Lines go to standard error. Lines that cannot be written, because the disk is full or their
  reader has gone, are dropped and counted, and the next one that can be written says how many. Only a
  pipe that stays open and that nobody reads brings the service to a standstill: the system makes
  whoever writes to it wait. On Deno Deploy, and with \`OTEL_DENO=true\`, records go through
  \`console\` instead, so that OpenTelemetry has each with its severity.

## Encryption at rest

Conversations are encrypted in the store under \`ENCRYPTION_KEY\`: messages, answers, arguments and
results of tools, in transcripts as in the logs of runs, and what a running run was asked. So are vendor
credentials, tool secrets and stored answers to repeated requests. A copy of the store without
\`secrets.json\` and without the environment reveals none of that.

Not encrypted are: ids, times, counts, costs and error codes; the origin a conversation is held on;
configuration, such as agents with their system prompts and plans; the documents of knowledge bases and
their index, which are published to be searched; the audit log; names and e-mail addresses of dashboard
users. Put the store on an encrypted disk where those matter.

To change the key while the service runs as one process:

1. Set \`ENCRYPTION_KEY=<new>,<old>\` and restart. The old key is in \`secrets.json\` as
   \`encryptionKey\` where none was set.
2. Run \`deno task secrets reencrypt\`, with the same environment. It works beside the running service
   and without it, can be interrupted and run again, and prints what it has changed. Exit code 0:
   everything is under the new key.
3. Set \`ENCRYPTION_KEY=<new>\` and restart.

Where several processes share a store, they must all be able to read before one of them writes: first
restart each with \`<old>,<new>\`, then each with \`<new>,<old>\`, then run \`reencrypt\`, then restart
each with \`<new>\`. A process refuses to start without a key that stored values may need, and names that
key.

- **Replaced values** remain in unused parts of the store's file until they are overwritten. Stop the
  service and run \`deno task compact\`, which rewrites the file. Do so after an update from a version
  that did not encrypt conversations, once \`reencrypt\` has run.
- **Backups** stay readable under the keys of their time. Keep \`secrets.json\` and old keys elsewhere
  than the backups of the store, as long as you keep those.
- **A lost key** cannot be replaced: values under it stay unreadable. \`deno task secrets reencrypt
  --forget\` lets the service start without it. Conversations then say which messages cannot be
  decrypted.

## Deno Deploy

There is no lasting disk and no address of its own: \`API_KEY_HMAC_SECRET\`, \`ENCRYPTION_KEY\`,
\`SETUP_TOKEN\` and \`PUBLIC_URL\` are required, and the store is the KV database assigned to the
app. A set \`DENO_DEPLOY\` means Deno Deploy. [operations.md](operations.md#deno-deploy) has the steps
and what does not work there.
`;

/** The text of `docs/configuration.md`, from the very table that reads the variables. */
export function renderConfiguration(): string {
  const fields = allVariables();
  const isSlot = (field: EnvVariable) => field.name.startsWith("VENDOR_");
  return INTRODUCTION + table(fields.filter((field) => !isSlot(field))) +
    VENDORS_TEXT + table(fields.filter(isSlot)) + DATA_TEXT;
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
