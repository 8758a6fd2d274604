import type { DoctorReport } from "../schemas/doctor.ts";

/** Where things are, and what they hash to. */
export interface EmbedConfig {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from, without a trailing slash. */
  scriptBase: string;
  /** Of the current script. */
  integrity: string;
}

/** What to paste, from our own facts alone: nothing of the page that was looked at. */
export function embedSnippets(
  { agent, origin, originAllowed, embed }: {
    agent: { id: string };
    origin: string | undefined;
    originAllowed: boolean;
    embed: EmbedConfig;
  },
): DoctorReport["lines"] {
  const { baseUrl, scriptBase, integrity } = embed;
  const site = originAllowed ? origin : "https://www.example.com";
  return {
    tag: `<script src="${scriptBase}/widget.v1.js"
  integrity="${integrity}"
  crossorigin="anonymous"
  data-service-widget
  data-api-base="${baseUrl}"
  data-agent-id="${agent.id}"
  data-session-token="<SESSION_TOKEN>"></script>`,
    csp: `script-src ${new URL(scriptBase).origin}; connect-src ${new URL(baseUrl).origin}`,
    mint: `curl ${baseUrl}/v1/widget/session \\
  -H "Authorization: Bearer <API_KEY>" \\
  -H "Origin: ${site}" \\
  -H "Content-Type: application/json" \\
  -d '{"agentId":"${agent.id}"}'`,
  };
}
