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
| \`control.sock\` | takes \`deno task keys\` and \`deno task secrets\` while the service runs |

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
