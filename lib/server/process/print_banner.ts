import { LineWriter } from "../../platform/line_writer.ts";
import type { Service } from "../../http/service.ts";

const stdout = new LineWriter((bytes) => Deno.stdout.writeSync(bytes));

/** Prints the address, the pages to open and, for a new installation, the next commands. */
export async function printBanner(
  service: Service,
  // Ignores failures, such as a full disk.
  print: (line: string) => void = (line) => stdout.write(`${line}\n`, () => ""),
): Promise<void> {
  const { baseUrl } = service;
  await service.demoReady;
  const setupToken = await service.setup.ensureToken();
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
