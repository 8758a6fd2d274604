import { LineWriter } from "../../platform/line_writer.ts";
import type { Service } from "../../http/service.ts";

const stdout = new LineWriter((bytes) => Deno.stdout.writeSync(bytes));

/** Where a person looks next, for a terminal: one `listening` line, then the rest. */
export async function printBanner(
  service: Service,
  print: (line: string) => void = printLine,
): Promise<void> {
  const { baseUrl } = service;
  await service.demoReady;
  const setupToken = await service.accounts.ensureSetupToken();
  const configured = service.config.setupToken !== undefined;
  const lines = [`listening on ${baseUrl}`, ""];
  if (service.demoAgent) lines.push(`  Try it         ${baseUrl}/demo`);
  lines.push(`  Dashboard      ${baseUrl}/`);
  if (setupToken !== undefined) {
    lines.push(`  Setup token    ${configured ? "the one in SETUP_TOKEN" : setupToken}`, "");
    lines.push(...nextSteps(service).map((line) => `  ${line}`));
  }
  for (const line of lines) print(line);
}

/** The next commands to paste: a key, the agents it sees, and an answer that streams. */
function nextSteps({ baseUrl, demoAgent }: Service): string[] {
  const id = demoAgent?.id ?? "<agent_id>";
  const body = `{"agentId":"${id}","messages":[{"role":"user","content":"Hello"}]}`;
  return [
    "Next, in another terminal:",
    `  KEY=$(npx --yes deno@${Deno.version.deno} task keys create --name first --scopes agents:write)`,
    `  curl -s ${baseUrl}/v1/agents -H "Authorization: Bearer $KEY"`,
    `  curl -sN ${baseUrl}/v1/chat/stream -H "Authorization: Bearer $KEY" \\`,
    `    -H "content-type: application/json" -d '${body}'`,
  ];
}

/** For standard output. What cannot be written, to a file on a full disk, is no reason not to serve. */
export function printLine(line: string): void {
  stdout.write(`${line}\n`, () => "");
}
