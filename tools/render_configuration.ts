import { allFields, type Field } from "../lib/config_fields.ts";

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->
<!-- Made by "deno task docs" from lib/config_fields.ts: change it there. -->

# Configuration

The service is configured by environment variables, and needs none of them: on a fresh machine it
serves on \`http://127.0.0.1:8000\`, keeps its data in \`.data\`, and answers with the demo model.
A variable that is empty counts as unset. Every problem is reported at once when the service
starts; an error names variables, never their values.
`;

const VENDORS_TEXT = `
## Model vendors

\`vendor_a\`, \`vendor_b\` and \`vendor_c\` are slots. A slot with a credential here is shown
read-only in the dashboard; any other slot can be set up there. A server that needs no credential
takes any text as one. Certificates are always checked; one signed by an authority of your own is
accepted when \`NODE_EXTRA_CA_CERTS\` names that authority's file.
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
| \`control.sock\` | takes \`deno task keys\` and \`deno task secrets\` while the service runs |

Nothing may remove or replace the store's file while the service runs: it would go on in a file that
is gone with the process. Within 10 seconds it says so in its log, and \`/readyz\` answers 503. A store
that is damaged is told at the start: restore it from a backup, together with \`secrets.json\`.

## Under a supervisor

- **Command.** Let systemd, Docker or whatever supervises it run \`deno task start\`, not \`npx\`, which
  does not pass SIGTERM on: the service would be killed without being told.
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
  whoever writes to it wait.

## Deno Deploy

There is no lasting disk and no address of its own: \`API_KEY_HMAC_SECRET\`, \`ENCRYPTION_KEY\`,
\`SETUP_TOKEN\` and \`PUBLIC_URL\` are required, and the store is the KV database assigned to the
app. A set \`DENO_DEPLOY\` means Deno Deploy.
`;

/** The text of `docs/configuration.md`, from the very table that reads the variables. */
export function renderConfiguration(): string {
  const fields = allFields();
  const isSlot = (field: Field<unknown>) => field.name.startsWith("VENDOR_");
  return INTRODUCTION + table(fields.filter((field) => !isSlot(field))) +
    VENDORS_TEXT + table(fields.filter(isSlot)) + DATA_TEXT;
}

function table(fields: ReturnType<typeof allFields>): string {
  const rows = fields.map((field) => {
    const unset = field.unset ?? `\`${field.fallback}\``;
    const purpose = field.secret ? `${field.purpose} (secret)` : field.purpose;
    return row([`\`${field.name}\``, purpose, field.type, unset, `\`${field.example}\``]);
  });
  return "\n" + row(["variable", "purpose", "type", "default", "example"]) +
    "|---|---|---|---|---|\n" + rows.join("");
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}
