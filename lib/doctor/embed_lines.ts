import type { DoctorReport } from "../schemas/doctor.ts";

/** Where things are, and what they hash to. */
export interface EmbedAddresses {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from, without a trailing slash. */
  scriptBase: string;
  /** Of the current script. */
  integrity: string;
}

/** What to paste, from our own facts alone: nothing of the page that was looked at. */
export function embedLines(
  { agent, origin, listed, addresses }: {
    agent: { id: string };
    origin: string | undefined;
    listed: boolean;
    addresses: EmbedAddresses;
  },
): DoctorReport["lines"] {
  const { baseUrl, scriptBase, integrity } = addresses;
  const site = listed ? origin : "https://www.example.com";
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
